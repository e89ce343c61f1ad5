import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return g(x)

@kernel
def g(x: i32) -> i32:
    return f(x)
# -->
# [E0211] recursion_indirect.py:10:12: error: recursive call of kernel 'f'
# 10 |     return f(x)
#    |            ^^^^
# recursion_indirect.py:6:12: note: in kernel 'g' called from 'f'
# 6 |     return g(x)
#   |            ^^^^
# help: write a loop instead
