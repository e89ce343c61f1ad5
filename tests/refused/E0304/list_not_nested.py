from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[2, 2]" = [1, 2]
    return x
# -->
# [E0304] list_not_nested.py:6:22: error: the shape needs a list of 2 elements here, not an int
# 6 |     b: "i32[2, 2]" = [1, 2]
#   |                      ^^^^^^
