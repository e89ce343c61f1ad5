import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

from allo import f32, i32, kernel

@kernel
def saxpy(a: f32, x: "f32[16]", y: "f32[16]", out: "f32[16]"):
    for i in range(16):
        out[i] = a * x[i] + y[i]
