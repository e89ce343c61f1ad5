from allo import *


@kernel
def f(x: i32) -> i32:
    a, (b, c) = x, (x, x)
    return a
# -->
# [E0406] unpack_nested.py:6:8: error: nested targets are not supported
# 6 |     a, (b, c) = x, (x, x)
#   |        ^^^^^^
