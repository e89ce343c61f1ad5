import allo
from allo import *

@kernel
def g(alpha: i32) -> i32:
    return alpha

@kernel
def f(x: i32) -> i32:
    return g(alpa=x)
# -->
# [E0502] call_keyword.py:10:14: error: kernel 'g' has no parameter 'alpa'
# 10 |     return g(alpa=x)
#    |              ^^^^^^
# help: did you mean 'alpha'?
