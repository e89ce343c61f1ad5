import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def split_pair(x: i32, y: f32) -> (i32, f32):
    return x + 1, y + 1.0

@kernel
def caller(x: i32, y: f32, out: "f32[1]"):
    lhs, rhs = split_pair(x, y)
    out[0] = rhs + lhs
