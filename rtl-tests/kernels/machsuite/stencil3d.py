"""A seven-point stencil in a box, whose surface is copied."""

import allo
from allo import i32, kernel

H = 5
C = 6
R = 7


@kernel
def stencil3d(coef: "i32[2]", orig: "i32[H, C, R]", sol: "i32[H, C, R]"):
    for j, k in allo.grid(C, R):
        sol[0, j, k] = orig[0, j, k]
        sol[H - 1, j, k] = orig[H - 1, j, k]
    for i, k in allo.grid((1, H - 1), R):
        sol[i, 0, k] = orig[i, 0, k]
        sol[i, C - 1, k] = orig[i, C - 1, k]
    for i, j in allo.grid((1, H - 1), (1, C - 1)):
        sol[i, j, 0] = orig[i, j, 0]
        sol[i, j, R - 1] = orig[i, j, R - 1]
    for i in range(1, H - 1):
        for j in range(1, C - 1):
            for k in range(1, R - 1):
                centre: i32 = orig[i, j, k]
                around: i32 = (
                    orig[i - 1, j, k] + orig[i + 1, j, k]
                    + orig[i, j - 1, k] + orig[i, j + 1, k]
                    + orig[i, j, k - 1] + orig[i, j, k + 1]
                )
                sol[i, j, k] = centre * coef[0] + around * coef[1]
