from allo import *


@kernel
def f(x: i32) -> u8:
    return 256
# -->
# [E0302] return_out_of_range.py:6:12: error: the constant 256 is out of range for u8
# 6 |     return 256
#   |            ^^^
