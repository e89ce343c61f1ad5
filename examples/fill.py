"""Writes each index of an array into the array.

The least that a loop can do: a counter is address and data at once.
"""

from allo import i32, kernel


@kernel
def fill(out: "i32[16]"):
    for i in range(16):
        out[i] = i
