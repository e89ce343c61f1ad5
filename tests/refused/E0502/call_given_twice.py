from allo import *


@kernel
def g(a: i32, b: i32) -> i32:
    return a


@kernel
def f(x: i32) -> i32:
    return g(x, a=x)
# -->
# [E0502] call_given_twice.py:11:17: error: 'a' is given twice
# 11 |     return g(x, a=x)
#    |                 ^^^
