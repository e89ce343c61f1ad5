"""A product of 16 x 16 matrices of bf16, added up in f32."""

from allo import *
from allo.pto import *

OPTIONS = KernelOptions(typing_style="pto", lanes=16)


@kernel(options=OPTIONS)
def product(a: "bf16[16, 16]", b: "bf16[16, 16]", o: "f32[16, 16]"):
    ma: tile(bf16, 16, 16, loc="mat")
    mb: tile(bf16, 16, 16, loc="mat")
    left: tile(bf16, 16, 16, loc="left")
    right: tile(bf16, 16, 16, loc="right")
    c: tile(f32, 16, 16, loc="acc")
    tload(ma, a)
    tload(mb, b)
    tmov(left, ma)
    tmov(right, mb)
    tmatmul(c, left, right)
    tstore(o, c)


@kernel
def plain(a: "bf16[16, 16]", b: "bf16[16, 16]", o: "f32[16, 16]"):
    for i in range(16):
        for j in range(16):
            total: f32 = 0.0
            for k in range(16):
                x: f32 = a[i, k]
                y: f32 = b[k, j]
                total = total + x * y
            o[i, j] = total
