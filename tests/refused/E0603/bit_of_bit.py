from allo import *


@kernel
def f(x: i32) -> i32:
    x[0][0] = 1
    return x
# -->
# [E0603] bit_of_bit.py:6:5: error: bits cannot be indexed
# 6 |     x[0][0] = 1
#   |     ^^^^^^^
