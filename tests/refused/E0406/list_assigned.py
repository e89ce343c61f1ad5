from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[2]" = 0
    b = [1, 2]
    return x
# -->
# [E0406] list_assigned.py:7:9: error: a list initialises a declaration only
# 7 |     b = [1, 2]
#   |         ^^^^^^
