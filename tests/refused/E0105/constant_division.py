import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return x + 1 // 0
# -->
# [E0105] constant_division.py:6:16: error: division by zero
# 6 |     return x + 1 // 0
#   |                ^^^^^^
