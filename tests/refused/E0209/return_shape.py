import allo
from allo import *

@kernel
def f(x: "i32[4]") -> "i32[5]":
    return x
# -->
# [E0209] return_shape.py:6:12: error: the kernel returns i32[5], but this is i32[4]
# 6 |     return x
#   |            ^
