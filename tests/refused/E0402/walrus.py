from allo import *


@kernel
def f(x: i32) -> i32:
    return (y := x) + y
# -->
# [E0402] walrus.py:6:13: error: an assignment expression (':=') is not supported in a kernel
# 6 |     return (y := x) + y
#   |             ^^^^^^
