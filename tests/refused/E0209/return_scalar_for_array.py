import allo
from allo import *

@kernel
def f(x: i32) -> "i32[5]":
    return x
# -->
# [E0209] return_scalar_for_array.py:6:12: error: the kernel returns i32[5], but this is a value of type i32
# 6 |     return x
#   |            ^
