from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]" = 0
    return sum(b)
# -->
# [E0107] call_sum.py:7:16: error: 'sum' takes compile-time values only
# 7 |     return sum(b)
#   |                ^
