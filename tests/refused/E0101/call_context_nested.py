# top: f
from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(v: i32) -> i32:
        return v + undefined

    return g(x)
# -->
# [E0101] call_context_nested.py:9:20: error: Name 'undefined' is not defined
# 9 |         return v + undefined
#   |                    ^^^^^^^^^
# call_context_nested.py:11:12: note: in kernel 'g' called from 'f'
# 11 |     return g(x)
#    |            ^^^^
