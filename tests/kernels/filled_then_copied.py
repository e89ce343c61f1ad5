"""A filled array that is copied before it is summed into."""

from allo import i32, kernel


@kernel
def top(x: "i32[8]", c: "i32[8]") -> "i32[8]":
    t: i32[8] = 3
    d: i32[8] = t
    for i in range(8):
        t[i] = t[i] + x[i]
    for i in range(8):
        c[i] = t[i]
    return d
