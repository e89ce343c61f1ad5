from allo import *


@kernel(options=KernelOptions(enable_tensor=True))
def f(a: "i32[4]", b: "i32[5]") -> "i32[4]":
    return a + b
# -->
# [E0304] tensor_parameter_type.py:6:16: error: the shapes [4] and [5] cannot be broadcast together
# 6 |     return a + b
#   |                ^
