import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    if x > 0:
        return x
# -->
# [E0207] return_missing.py:5:5: error: not every path of the kernel returns a value
# 5 | def f(x: i32) -> i32:
#   |     ^
