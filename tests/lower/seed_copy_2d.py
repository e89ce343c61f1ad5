import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def copy_2d(src: "f32[4, 4]", dst: "f32[4, 4]"):
    for i, j in allo.grid(4, 4):
        dst[i, j] = src[i, j]
