"""A cleared array read at another element than the one that is stored."""

from allo import i32, kernel


@kernel
def top(x: "i32[4]") -> "i32[4, 4]":
    c: i32[4, 4] = 1
    for i in range(4):
        for j in range(4):
            c[i, j] = c[j, i] + x[i] + x[j]
    return c
