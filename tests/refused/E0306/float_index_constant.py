from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]" = 0
    return b[1.0]
# -->
# [E0306] float_index_constant.py:7:14: error: an index must be an integer, not a float
# 7 |     return b[1.0]
#   |              ^^^
