import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel(options=KernelOptions(typing_style="cpp"))
def cpp_style(x: allo.u32, y: i32, out: "u32[1]"):
    out[0] = x + y
