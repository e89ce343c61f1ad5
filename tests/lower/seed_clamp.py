import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def clamp(x: i32, lo: i32, hi: i32) -> i32:
    return min(max(x, lo), hi)
