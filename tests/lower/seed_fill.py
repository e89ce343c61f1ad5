import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def fill(out: "i32[4]"):
    for i in range(4):
        out[i] = i

@kernel
def no_result(out: "i32[4]") -> None:
    return
