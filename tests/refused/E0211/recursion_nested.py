from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(v: i32) -> i32:
        return f(v)

    return g(x)
# -->
# [E0211] recursion_nested.py:8:16: error: recursive call of kernel 'f'
# 8 |         return f(v)
#   |                ^^^^
# recursion_nested.py:10:12: note: in kernel 'g' called from 'f'
# 10 |     return g(x)
#    |            ^^^^
# help: write a loop instead
