"""Subscripts computed alike from different values."""

from allo import i32, index, kernel


@kernel
def top(x: "i32[8]", p: index, q: index, c: "i32[130]"):
    for i in range(8):
        c[p + 1] = c[p + 1] + x[i]
        c[q + 1] = c[q + 1] - x[i]
