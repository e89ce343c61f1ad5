from allo import *


@kernel
def f(n: i32) -> constexpr:
    return n
# -->
# [E0202] constexpr_result.py:5:18: error: a result cannot be constexpr
# 5 | def f(n: i32) -> constexpr:
#   |                  ^^^^^^^^^
