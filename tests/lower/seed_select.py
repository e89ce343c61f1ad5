import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def select(cond: allo.bool, x: i32, y: i32) -> i32:
    return x if cond else y
