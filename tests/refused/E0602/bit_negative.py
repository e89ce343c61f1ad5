from allo import *


@kernel
def f(x: i32) -> i32:
    return x[-1]
# -->
# [E0602] bit_negative.py:6:14: error: bit -1 is out of range 0 to 31
# 6 |     return x[-1]
#   |              ^^
