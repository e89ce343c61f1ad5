from allo import *


@kernel
def f(x: i32) -> i32:
    return x[0, 1]
# -->
# [E0601] bit_two_indices.py:6:12: error: a bit has one index
# 6 |     return x[0, 1]
#   |            ^^^^^^^
