from allo import *


@kernel
def f(x: i32) -> i32:
    return x[24:40]
# -->
# [E0602] bit_range_outside.py:6:12: error: bit 39 is out of range 0 to 31
# 6 |     return x[24:40]
#   |            ^^^^^^^^
