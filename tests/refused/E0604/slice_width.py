import allo
from allo import *

@kernel
def f(x: i32, i: i32, j: i32) -> i32:
    return x[i:j]
# -->
# [E0604] slice_width.py:6:12: error: the width of a bit range must be constant
# 6 |     return x[i:j]
#   |            ^^^^^^
# help: write it as `x[i:i + 8]`
