import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

from allo import apint, kernel

u17 = apint(17)
i23 = apint(23, signed=True)

@kernel
def custom_width(x: u17, y: i23, out: "u17[1]"):
    out[0] = x + y
