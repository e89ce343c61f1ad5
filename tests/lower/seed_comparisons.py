import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def comparisons(a: i32, b: i32, c: i32) -> allo.bool:
    return a < b and b < c
