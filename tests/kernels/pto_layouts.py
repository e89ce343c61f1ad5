# From rows to boxes and on to columns of boxes, in arguments.
from allo import *
from allo.pto import *

A5 = KernelOptions(typing_style="pto", profile="a5", lanes=2)


@kernel(options=A5)
def top(g: "f32[32, 16]", z: tile(f32, 32, 16, loc="mat"), r: tile(f32, 32, 16, loc="right"), p: tile(f32, 16, 8, loc="left")):
    v: tile(f32, 32, 16)
    tload(v, g)
    tmov(z, v)
    tmov(r, z)
    textract(p, z, 16, 8)
