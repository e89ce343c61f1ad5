"""More accesses of one memory than it has ports, in iterations that overlap."""

from allo import i32, kernel


@kernel
def top(x: "i32[18]", c: "i32[16]", t: "i32[16]"):
    for i in range(16):
        c[i] = x[i] * x[i + 1] + x[i + 2]
    for i in range(13):
        t[i] = t[i] + t[i + 1] * t[i + 3] + t[i + 2]
