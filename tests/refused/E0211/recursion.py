import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return f(x)
# -->
# [E0211] recursion.py:6:12: error: recursive call of kernel 'f'
# 6 |     return f(x)
#   |            ^^^^
# help: write a loop instead
