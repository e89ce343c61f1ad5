"""The sum of two vectors, returned as an array.

A returned array is a memory port named ap_return. Every element is written in the loop, so that
the fill with zero costs nothing.
"""

from allo import i32, kernel


@kernel
def vector_add(x: "i32[16]", y: "i32[16]") -> "i32[16]":
    out: "i32[16]" = 0
    for i in range(16):
        out[i] = x[i] + y[i]
    return out
