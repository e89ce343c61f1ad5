import allo
from allo import *

@kernel
def f(x: "i32[4]", y: f32) -> i32:
    return x[y]
# -->
# [E0306] float_index.py:6:14: error: an index must be an integer, not a float
# 6 |     return x[y]
#   |              ^
