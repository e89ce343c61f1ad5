"""A product of two tiles of bf16 in accumulators of f32, in the typing style "pto".

Every place of a tile has its layout: rows where it is loaded, boxes on the way to the product. With four lanes,
four products and four additions begin in a cycle; the sums are those of one lane, to the bit.
"""

from allo import KernelOptions, bf16, f32, kernel
from allo.pto import tile, tload, tmatmul, tmov, tstore


@kernel(options=KernelOptions(typing_style="pto", profile="a5", lanes=4))
def matmul(a: "bf16[16, 16]", b: "bf16[16, 16]", o: "f32[16, 16]"):
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
