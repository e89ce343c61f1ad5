from allo import *


@kernel
def f(x: i32) -> i32:
    return x[:4]
# -->
# [E0604] bit_range_open.py:6:12: error: a bit range needs both bounds and no step
# 6 |     return x[:4]
#   |            ^^^^^
