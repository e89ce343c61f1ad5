from allo import *


@kernel
def f(x: i32) -> i32:
    return max(*x)
# -->
# [E0502] call_star.py:6:16: error: starred arguments are not supported
# 6 |     return max(*x)
#   |                ^^
