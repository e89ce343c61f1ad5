from allo import *


@kernel
def g(a: i32) -> i32:
    return a


@kernel
def f(x: "i32[4]") -> i32:
    return g(x)
# -->
# [E0503] call_scalar_given_array.py:11:14: error: parameter 'a' needs i32, but this is an array
# 11 |     return g(x)
#    |              ^
