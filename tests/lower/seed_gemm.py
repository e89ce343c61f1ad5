import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

from allo import f32, kernel

@kernel
def gemm(A: "f32[32, 32]", B: "f32[32, 32]") -> "f32[32, 32]":
    C: "f32[32, 32]" = 0.0
    for i, j in allo.grid(32, 32):
        for k in range(32):
            C[i, j] += A[i, k] * B[k, j]
    return C
