import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def local_buffer(out: "i32[4]"):
    buf: "i32[4]"
    for i in range(4):
        buf[i] = i
        out[i] = buf[i]
