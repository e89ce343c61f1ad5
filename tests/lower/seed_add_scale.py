import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

SCALE = 3


@kernel
def add_scale(x: i32) -> i32:
    return x + SCALE
