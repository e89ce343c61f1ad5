from allo import *


@kernel
def f(x: i32) -> i32:
    b: "u8[2]" = [1, 256]
    return x
# -->
# [E0302] list_out_of_range.py:6:18: error: the constant 256 is out of range for u8
# 6 |     b: "u8[2]" = [1, 256]
#   |                  ^^^^^^^^
