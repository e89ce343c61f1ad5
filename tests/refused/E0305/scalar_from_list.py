from allo import *


@kernel
def f(x: i32) -> i32:
    b: i32 = [1, 2]
    return x
# -->
# [E0305] scalar_from_list.py:6:14: error: a list cannot be converted to i32
# 6 |     b: i32 = [1, 2]
#   |              ^^^^^^
