import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def strided_grid(out: "i32[8, 8]"):
    for i, j in allo.grid((0, 8, 2), (1, 8, 2)):
        out[i, j] = i + j
