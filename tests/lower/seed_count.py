import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def count(out: "i32[1]"):
    i: i32 = 0
    acc: i32 = 0
    while i < 4:
        acc += i
        i += 1
    out[0] = acc
