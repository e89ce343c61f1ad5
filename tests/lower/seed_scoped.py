import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def scoped(cond: allo.bool, x: i32, out: "i32[1]"):
    value: i32 = 0
    if cond:
        value = x
    else:
        value = x + 1
    out[0] = value
