import allo
from allo import *

N = 1 / 0
@kernel
def f(x: i32) -> i32:
    return x + N
# -->
# [E0102] poisoned_constant.py:7:16: error: 'N' has no value at compile time: division by zero
# 7 |     return x + N
#   |                ^
# poisoned_constant.py:4:1: note: 'N' is bound here
# 4 | N = 1 / 0
#   | ^
