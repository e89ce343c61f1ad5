from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[2]" = ["a", 2]
    return x
# -->
# [E0305] list_of_text.py:6:19: error: a string cannot be converted to i32
# 6 |     b: "i32[2]" = ["a", 2]
#   |                   ^^^^^^^^
