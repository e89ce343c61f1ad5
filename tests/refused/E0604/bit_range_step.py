from allo import *


@kernel
def f(x: i32) -> i32:
    return x[0:8:2]
# -->
# [E0604] bit_range_step.py:6:12: error: a bit range needs both bounds and no step
# 6 |     return x[0:8:2]
#   |            ^^^^^^^^
