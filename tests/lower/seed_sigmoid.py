import allo
from allo import *
from allo import KernelOptions, consteval, kernel, constexpr, Template

@kernel
def sigmoid(x: "f32[8]", out: "f32[8]"):
    for i in range(8):
        out[i] = 1.0 / (1.0 + allo.math.exp(-x[i]))
