"""The product of two 32 x 32 integer matrices.

Three nested loops: 32,768 products, of which one starts every clock cycle, as each needs one
element of either matrix.
"""

import allo
from allo import i32, kernel


@kernel
def matmul(a: "i32[32, 32]", b: "i32[32, 32]") -> "i32[32, 32]":
    c: "i32[32, 32]" = 0
    for i, j in allo.grid(32, 32):
        for k in range(32):
            c[i, j] += a[i, k] * b[k, j]
    return c
