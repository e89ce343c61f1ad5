from allo import *


@kernel
def f(x: i32) -> i32:
    a, *b = x, x, x
    return a
# -->
# [E0406] starred_target.py:6:8: error: starred targets are not supported
# 6 |     a, *b = x, x, x
#   |        ^^
