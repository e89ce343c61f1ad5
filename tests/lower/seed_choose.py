import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def choose(cond: allo.bool, x: i32, y: i32) -> i32:
    if cond:
        return x
    return y
