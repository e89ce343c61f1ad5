from allo import *


@kernel
def f(x: "i32[4]") -> i32:
    return x
# -->
# [E0209] return_array_for_scalar.py:6:12: error: the kernel returns i32, but this is an array
# 6 |     return x
#   |            ^
