import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def declarations(x: i32, out: "i32[4]"):
    base: i32 = x
    tmp: "i32[4]" = 0
    for i in range(4):
        tmp[i] = base + i
        out[i] = tmp[i]
