from allo import *


@kernel
def f(x: i32) -> i32:
    y: i32 = (x, x)
    return y
# -->
# [E0305] tuple_variable.py:6:14: error: a scalar is needed, not a tuple of 2 values
# 6 |     y: i32 = (x, x)
#   |              ^^^^^^
