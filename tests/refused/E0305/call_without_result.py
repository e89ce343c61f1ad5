from allo import *


@kernel
def g(a: "i32[4]"):
    a[0] = 1


@kernel
def f(x: "i32[4]") -> i32:
    return g(x)
# -->
# [E0305] call_without_result.py:11:12: error: None cannot be converted to i32
# 11 |     return g(x)
#    |            ^^^^
