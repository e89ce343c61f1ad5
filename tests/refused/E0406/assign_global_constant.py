from allo import *


N = 4


@kernel
def f(x: i32) -> i32:
    N += x
    return x
# -->
# [E0406] assign_global_constant.py:9:5: error: 'N' is not a variable of this kernel
# 9 |     N += x
#   |     ^
