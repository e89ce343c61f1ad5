from allo import *


@kernel
def f(x: i32) -> i32:
    print(x)
    return x
# -->
# [E0107] call_print.py:6:11: error: 'print' takes compile-time values only
# 6 |     print(x)
#   |           ^
