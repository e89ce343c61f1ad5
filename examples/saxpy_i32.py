"""out = a * x + y on 16 integers.

The product has 64 bits and the sum 65; only the 32 that are stored are computed, so three DSP
blocks make the product instead of four.
"""

from allo import i32, kernel


@kernel
def saxpy(a: i32, x: "i32[16]", y: "i32[16]", out: "i32[16]"):
    for i in range(16):
        out[i] = a * x[i] + y[i]
