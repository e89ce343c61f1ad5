import allo
from allo import *

def g(x):
    return x
@kernel
def f(x: i32) -> i32:
    return g(x)
# -->
# [E0501] call_python.py:8:12: error: 'g' is a Python function, not a kernel
# 8 |     return g(x)
#   |            ^^^^
# help: decorate it with @consteval to call it at compile time, or with @kernel
