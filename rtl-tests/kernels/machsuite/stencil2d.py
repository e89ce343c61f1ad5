"""A 3 x 3 filter over a plane."""

from allo import i32, kernel

ROWS = 10
COLS = 8


@kernel
def stencil2d(orig: "i32[ROWS, COLS]", sol: "i32[ROWS, COLS]", taps: "i32[3, 3]"):
    for r in range(ROWS - 2):
        for c in range(COLS - 2):
            total: i32 = 0
            for k1 in range(3):
                for k2 in range(3):
                    total += taps[k1, k2] * orig[r + k1, c + k2]
            sol[r, c] = total
