import allo
from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(u, v) -> i32:
        return u
    return g(x, u=x)
# -->
# [E0502] nested_inferred_twice.py:10:17: error: 'u' is given twice
# 10 |     return g(x, u=x)
#    |                 ^^^
