import allo
from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(u) -> i32:
        return u
    return g((x, 1))
# -->
# [E0201] nested_inferred_tuple.py:10:14: error: parameter 'u' takes its type from the argument, but a tuple of 2 values has none
# 10 |     return g((x, 1))
#    |              ^^^^^^
# help: annotate the parameter, such as `u: i32`
