import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def inferred_local(cond: allo.bool, x: i32, y: i32, out: "i32[1]"):
    v = x
    if cond:
        v = y
    else:
        v = x + y
    out[0] = v
