import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def bit_ops(x: allo.u32, out: "u1[1]"):
    out[0] = x[0]
