"""Stores before and after inner loops, to elements that they read."""

from allo import i32, kernel


@kernel
def top(x: "i32[4, 4]", c: "i32[5]", d: "i32[4]"):
    for i in range(4):
        c[i + 1] = c[i] + 1
        for j in range(4):
            c[i + 1] = c[i + 1] * 3 + x[i, j]
        d[i] = c[i + 1]
    for i in range(4):
        s: i32 = c[i]
        for j in range(4):
            s = s + x[j, i] * c[j]
        c[i] = s
