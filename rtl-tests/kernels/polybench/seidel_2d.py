"""Gauss-Seidel iteration on a plane: each point uses those already renewed."""

from allo import f32, kernel

N = 7
TSTEPS = 2


@kernel
def seidel_2d(A: "f32[N, N]"):
    for t in range(TSTEPS):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                A[i, j] = (
                    A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                    + A[i, j - 1] + A[i, j] + A[i, j + 1]
                    + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                ) / 9.0
