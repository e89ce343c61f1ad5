import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def scalar_add(x: i32, y: i32) -> i32:
    return x + y

@kernel
def vector_add(x: "i32[16]", y: "i32[16]") -> "i32[16]":
    out: "i32[16]" = 0
    for i in range(16):
        out[i] = x[i] + y[i]
    return out
