"""Softmax of 16 single-precision numbers: exp(x - max), over the sum of all of these.

The largest number is taken off first, so that no exponential overflows.
"""

import allo
from allo import f32, kernel


@kernel
def softmax(x: "f32[16]", out: "f32[16]"):
    most: f32 = x[0]
    for i in range(1, 16):
        most = max(most, x[i])
    total: f32 = 0.0
    powers: "f32[16]"
    for i in range(16):
        powers[i] = allo.math.exp(x[i] - most)
        total += powers[i]
    for i in range(16):
        out[i] = powers[i] / total
