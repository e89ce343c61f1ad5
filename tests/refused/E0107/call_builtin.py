from allo import *


@kernel
def f(x: i32) -> i32:
    return int(x)
# -->
# [E0107] call_builtin.py:6:16: error: 'int' takes compile-time values only
# 6 |     return int(x)
#   |                ^
# help: to convert a runtime value, declare a variable of the type or use allo.arith.cast
