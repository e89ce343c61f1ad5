import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def shapes(a: "f32[8]", b: "i32[4, 4]", acc: "f32[]"):
    acc[()] = a[0] + b[0, 0]
