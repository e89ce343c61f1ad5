import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def outer(x: i32, out: "i32[1]"):
    @kernel
    def add_one(v: i32) -> i32:
        return v + 1

    out[0] = add_one(x)
