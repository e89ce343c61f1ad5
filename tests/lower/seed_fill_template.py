import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

from allo import Template, f32, i32

T = Template("T")
N = Template("N")

@kernel(T, N)
def fill_template(x: T, out: "T[N]"):
    for i in range(N):
        out[i] = x

fill_i32_4 = fill_template[i32, 4]
