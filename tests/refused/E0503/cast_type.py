import allo
from allo import *


@kernel
def f(x: i32) -> i32:
    return allo.arith.cast(x, 32)
# -->
# [E0503] cast_type.py:7:31: error: the second argument of cast is a scalar type
# 7 |     return allo.arith.cast(x, 32)
#   |                               ^^
