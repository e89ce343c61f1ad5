from allo import *


N = 3


@kernel
def f(x: i32) -> i32:
    return x + N.bits
# -->
# [E0104] constant_attribute.py:9:16: error: an int has no attribute 'bits'
# 9 |     return x + N.bits
#   |                ^^^^^^
