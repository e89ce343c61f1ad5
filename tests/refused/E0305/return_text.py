from allo import *


@kernel
def f(x: i32) -> i32:
    return "text"
# -->
# [E0305] return_text.py:6:12: error: a string cannot be converted to i32
# 6 |     return "text"
#   |            ^^^^^^
