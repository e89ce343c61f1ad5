from allo import *


@kernel
def g(a: "i32[4]"):
    a[0] = 1


@kernel
def f(x: "i32[4]"):
    g([1, 2, 3, 4])
# -->
# [E0503] call_fresh_result.py:11:7: error: parameter 'a' needs i32[4], but this is a list
# 11 |     g([1, 2, 3, 4])
#    |       ^^^^^^^^^^^^
