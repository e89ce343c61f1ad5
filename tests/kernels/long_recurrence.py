"""A carried value that takes several cycles, with reads of old values of others."""

from allo import i32, kernel


@kernel
def top(x: "i32[16]", y: "i32[16]") -> i32:
    s: i32 = 1
    p: i32 = 2
    for i in range(16):
        old: i32 = p
        p = s * x[i]
        s = p * p * p + old * x[i] + old
        y[i] = s * old
    return s
