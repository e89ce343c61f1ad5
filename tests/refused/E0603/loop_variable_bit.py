from allo import *


@kernel
def f(x: i32) -> i32:
    for i in range(4):
        i[0] = 1
    return x
# -->
# [E0603] loop_variable_bit.py:7:9: error: a scalar of type index cannot be indexed
# 7 |         i[0] = 1
#   |         ^^^^
