from allo import *


@kernel
def f(x: i32) -> i32:
    N: constexpr = x + 1
    return N
# -->
# [E0107] constexpr_runtime.py:6:20: error: constexpr 'N' needs a compile-time value
# 6 |     N: constexpr = x + 1
#   |                    ^^^^^
