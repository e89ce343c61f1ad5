from allo import *


@kernel
def f(x: i32) -> i32:
    for i in range(4 / 2):
        x += 1
    return x
# -->
# [E0306] float_constant_bound.py:6:20: error: a bound of range must be an integer, not a float
# 6 |     for i in range(4 / 2):
#   |                    ^^^^^
