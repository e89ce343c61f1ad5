from allo import *


@kernel
def f(n: constexpr) -> i32:
    return n
# -->
# [E0202] constexpr_parameter.py:5:10: error: a parameter cannot be constexpr
# 5 | def f(n: constexpr) -> i32:
#   |          ^^^^^^^^^
# help: use a Template for a compile-time parameter
