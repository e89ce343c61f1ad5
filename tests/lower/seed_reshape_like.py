import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

M = 4
N = 8

@kernel
def reshape_like(inp: "i32[M * N]", out: "i32[M, N]"):
    for i, j in allo.grid(M, N):
        out[i, j] = inp[i * N + j]
