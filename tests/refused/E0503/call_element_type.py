from allo import *


@kernel
def g(a: "i32[4]"):
    a[0] = 1


@kernel
def f(x: "u32[4]"):
    g(x)
# -->
# [E0503] call_element_type.py:11:7: error: parameter 'a' needs i32[4], but this is u32[4]
# 11 |     g(x)
#    |       ^
