import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return x
    x = 1
# -->
# [E0210] unreachable.py:7:5: error: this statement is never reached
# 7 |     x = 1
#   |     ^^^^^
# unreachable.py:6:5: note: the kernel returns here
# 6 |     return x
#   |     ^^^^^^^^
