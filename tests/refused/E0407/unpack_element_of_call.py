from allo import *


@kernel
def g(x: i32) -> (i32, i32, i32):
    return x, x, x


@kernel
def f(x: i32) -> i32:
    a, b = g(x)
    return a
# -->
# [E0407] unpack_element_of_call.py:11:5: error: 2 targets, but 3 values
# 11 |     a, b = g(x)
#    |     ^^^^^^^^^^^
