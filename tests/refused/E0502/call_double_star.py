from allo import *


@kernel
def g(x: i32) -> i32:
    return x


@kernel
def f(x: i32) -> i32:
    return g(**x)
# -->
# [E0502] call_double_star.py:11:14: error: '**' arguments are not supported
# 11 |     return g(**x)
#    |              ^^^
