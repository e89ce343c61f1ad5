import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

FixedT = i32

@kernel
def fixed_alias(x: FixedT, out: "FixedT[4]"):
    for i in range(4):
        out[i] = x

T = Template("T")

@kernel(T)
def delayed_type(x: T, out: "T[4]"):
    for i in range(4):
        out[i] = x


delayed_i32 = delayed_type[i32]
delayed_f32 = delayed_type[f32]
