import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

from allo import constexpr

@kernel
def constexpr_bound(out: "i32[4]"):
    N: constexpr = 4
    for i in range(N):
        out[i] = i
