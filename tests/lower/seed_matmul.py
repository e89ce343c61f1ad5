import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def matmul(a: "f32[32, 32]", b: "f32[32, 32]") -> "f32[32, 32]":
    c: "f32[32, 32]" = 0.0
    for i, j in allo.grid(32, 32):
        for k in range(32):
            c[i, j] += a[i, k] * b[k, j]
    return c
