import allo
from allo import *

@kernel
def g(a: "i32[4]", b: "i32[4]"):
    a[0] = b[0]

@kernel
def f(x: "i32[4]"):
    g(x, x)
# -->
# [E0504] call_aliased.py:10:10: error: the buffer is passed for 'a' and 'b', and the kernel writes 'a'
# 10 |     g(x, x)
#    |          ^
