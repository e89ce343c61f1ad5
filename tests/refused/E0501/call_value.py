import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return x(3)
# -->
# [E0501] call_value.py:6:12: error: a value of type i32 cannot be called; only kernels, operators and compile-time functions can
# 6 |     return x(3)
#   |            ^^^^
