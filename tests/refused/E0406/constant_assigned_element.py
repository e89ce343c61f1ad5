from allo import *


T = [1, 2]


@kernel
def f(x: i32) -> i32:
    T[0] = x
    return x
# -->
# [E0406] constant_assigned_element.py:9:5: error: 'T' is a compile-time value, which a kernel cannot change
# 9 |     T[0] = x
#   |     ^^^^
