import allo
from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(u) -> i32:
        return u
    return g(3)
# -->
# [E0201] nested_inferred_constant.py:10:14: error: parameter 'u' takes its type from the argument, but an int has none
# 10 |     return g(3)
#    |              ^
# help: annotate the parameter, such as `u: i32`
