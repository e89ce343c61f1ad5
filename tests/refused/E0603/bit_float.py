import allo
from allo import *

@kernel
def f(x: f32) -> i32:
    return x[0]
# -->
# [E0603] bit_float.py:6:12: error: a scalar of type f32 cannot be indexed
# 6 |     return x[0]
#   |            ^^^^
