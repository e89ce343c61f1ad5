import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def constants(out: "i32[2, 2]"):
    scale: constexpr = 3
    table: "i32[2, 2]" = [[1, scale], [scale + 1, scale + 2]]
    for i, j in allo.grid(2, 2):
        out[i, j] = table[i, j]
