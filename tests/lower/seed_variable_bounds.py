import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def variable_bounds(a: "i32[10]", out: "i32[10]"):
    for i in range(10):
        for j in range(a[i], 10, a[i]):
            out[j] += i
