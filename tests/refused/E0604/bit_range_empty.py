from allo import *


@kernel
def f(x: i32) -> i32:
    return x[4:4]
# -->
# [E0604] bit_range_empty.py:6:12: error: a bit range must not be empty or too wide
# 6 |     return x[4:4]
#   |            ^^^^^^
