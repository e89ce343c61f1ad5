import allo
from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(u, v) -> i32:
        return u
    return g(x)
# -->
# [E0502] nested_inferred_count.py:10:12: error: kernel 'g' takes 2 arguments, but 1 given
# 10 |     return g(x)
#    |            ^^^^
