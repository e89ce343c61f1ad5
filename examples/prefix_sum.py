"""The running sum of an array.

Each result needs the one before. The sum is kept in a variable, that is a register, so that the
memory is not read back and an element is done every cycle.
"""

from allo import i32, kernel


@kernel
def prefix_sum(x: "i32[64]", out: "i32[64]"):
    acc: i32 = 0
    for i in range(64):
        acc += x[i]
        out[i] = acc
