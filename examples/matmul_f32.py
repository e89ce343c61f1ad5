"""The product of two 32 x 32 matrices of single-precision numbers.

The additions into one element keep their order, as the language asks; those into different
elements may overlap, and have to, since one addition takes several cycles.
"""

import allo
from allo import f32, kernel


@kernel
def matmul(a: "f32[32, 32]", b: "f32[32, 32]") -> "f32[32, 32]":
    c: "f32[32, 32]" = 0.0
    for i, j in allo.grid(32, 32):
        for k in range(32):
            c[i, j] += a[i, k] * b[k, j]
    return c
