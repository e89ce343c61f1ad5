"""A kernel that calls another in a loop.

`scale` is compiled into the loop of `called`, so that the call costs no cycles. Compile with
--top called, since the file has two kernels.
"""

from allo import i16, i32, kernel

OFFSET = 7


@kernel
def scale(x: i16, factor: i16) -> i32:
    return x * factor + OFFSET


@kernel
def called(x: "i16[16]", factor: i16, out: "i32[16]"):
    for i in range(16):
        out[i] = scale(x[i], factor)
