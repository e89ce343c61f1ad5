import allo
from allo import *


@kernel
def f(c: i32, b: f32) -> i32:
    y = (1, c) if c else b
    return y
# -->
# [E0305] select_tuple.py:7:9: error: operator 'select' needs a scalar, not a tuple of 2 values
# 7 |     y = (1, c) if c else b
#   |         ^^^^^^
