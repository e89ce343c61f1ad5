import allo
from allo import *

@kernel
def g(a: i32, b: i32) -> i32:
    return a

@kernel
def f(x: i32) -> i32:
    return g(x)
# -->
# [E0502] call_count.py:10:12: error: kernel 'g' takes 2 arguments, but 1 given
# 10 |     return g(x)
#    |            ^^^^
