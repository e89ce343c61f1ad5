import allo
from allo import *

@kernel
def f(x: i32) -> (i32, i32):
    return x, x, x
# -->
# [E0209] return_count.py:6:12: error: the kernel returns 2 values, but 3 are given
# 6 |     return x, x, x
#   |            ^^^^^^^
