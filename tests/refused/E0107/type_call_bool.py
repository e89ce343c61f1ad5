import allo
from allo import *

@kernel
def f(x: i32) -> bool:
    return bool(x)
# -->
# [E0107] type_call_bool.py:6:17: error: 'bool' takes compile-time values only
# 6 |     return bool(x)
#   |                 ^
# help: to convert a runtime value, declare a variable of the type or use allo.arith.cast
