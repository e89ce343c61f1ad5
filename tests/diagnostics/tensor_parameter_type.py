from allo import *


@kernel(options=KernelOptions(enable_tensor=True))
def f(a: "i32[4]", b: "i32[5]") -> "i32[4]":
    return a + b
