import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

from allo import range as allo_range


@kernel
def ranges(out: "i32[20]"):
    for i in range(10):
        out[i] = i
    for i in range(10, 20):
        out[i] = i
    for i in allo_range(0, 20, 2):
        out[i] = i * 2
