import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def logic(a: "i32[3]", b: i32) -> i32:
    out: i32 = 0
    if a[0] > 0 and b < 0:
        out = 1
    elif a[1] <= 1 or not (a[2] == 3):
        out = 2
    return out
