from allo import *


@kernel
def f(x: i32) -> i32:
    return x + (1 << 5000)
# -->
# [E0303] constant_too_wide.py:6:17: error: the constant needs more than 4096 bits
# 6 |     return x + (1 << 5000)
#   |                 ^^^^^^^^^
