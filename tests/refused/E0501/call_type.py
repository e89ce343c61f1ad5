import allo
from allo import *

@kernel
def f(x: i32) -> f32:
    return f32(x)
# -->
# [E0501] call_type.py:6:12: error: the type f32 cannot be called
# 6 |     return f32(x)
#   |            ^^^^^^
# help: declare a variable of the type, or use allo.arith.cast(x, f32)
