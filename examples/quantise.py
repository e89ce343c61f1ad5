"""A vector of floats, scaled and rounded to three formats of 8 and 4 bits.

Storing an f32 in an array of a storage format rounds it once. What is too large becomes the largest
number in f4e2m1, NaN in f8e4m3 and infinity in hif8.
"""

from allo import f4e2m1, f8e4m3, f32, hif8, kernel


@kernel
def quantise(x: "f32[32]", scale: f32, a: "f8e4m3[32]", b: "hif8[32]", c: "f4e2m1[32]"):
    for i in range(32):
        y: f32 = x[i] * scale
        a[i] = y
        b[i] = y
        c[i] = y
