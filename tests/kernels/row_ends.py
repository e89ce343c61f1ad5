"""An element read in the next row's first columns, five iterations after it was stored."""

from allo import i32, kernel


@kernel
def top(c: "i32[8, 4]", s: "i32[32]"):
    for i in range(7):
        for j in range(4):
            c[i + 1, j] = c[i, j] * 3 + s[i * 4 + j]
    for i in range(31):
        s[i + 1] = s[i] * 5 + 1
