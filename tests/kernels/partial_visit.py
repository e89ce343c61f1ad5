"""Loops over a part of a cleared array."""

from allo import i32, kernel


@kernel
def top(x: "i32[8]") -> ("i32[8]", "i32[8]"):
    c: i32[8] = 5
    for i in range(3, 8):
        c[i] = c[i] + x[i]
    d: i32[8] = 7
    for i in range(0, 8, 2):
        d[i] = d[i] + x[i]
    return c, d
