import allo
from allo import *

@kernel
def h(a: i32) -> i32:
    return a + q

@kernel
def g(a: i32) -> i32:
    return h(a)

@kernel
def f(x: i32) -> i32:
    return g(x)
# -->
# [E0101] call_context.py:6:16: error: Name 'q' is not defined
# 6 |     return a + q
#   |                ^
