from allo import *


@kernel
def f(x: i32) -> i32:
    x[0:4] = 3
    return x
# -->
# [E0604] bit_range_assigned.py:6:5: error: assignment to a slice is not supported
# 6 |     x[0:4] = 3
#   |     ^^^^^^
