"""The dot product of two vectors of 8-bit floats.

f8e4m3 is a storage format: each product is computed in f16, which holds both factors exactly, and
rounded once; the sum is kept in f32.
"""

from allo import f8e4m3, f32, kernel


@kernel
def dot(x: "f8e4m3[64]", y: "f8e4m3[64]") -> f32:
    acc: f32 = 0.0
    for i in range(64):
        acc += x[i] * y[i]
    return acc
