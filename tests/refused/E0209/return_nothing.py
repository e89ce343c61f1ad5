import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return
# -->
# [E0209] return_nothing.py:6:5: error: the kernel must return a value here
# 6 |     return
#   |     ^^^^^^
