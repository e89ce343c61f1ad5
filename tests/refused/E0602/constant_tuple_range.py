from allo import *


T = (1, 2)


@kernel
def f(x: i32) -> i32:
    return x + T[2]
# -->
# [E0602] constant_tuple_range.py:9:16: error: the index is out of range
# 9 |     return x + T[2]
#   |                ^^^^
