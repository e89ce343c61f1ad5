import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def captures(x: i32, out: "i32[1]"):
    offset: constexpr = 2
    T: constexpr = i32

    @kernel
    def add_offset(v: T) -> T:
        return v + offset

    out[0] = add_offset(x)
