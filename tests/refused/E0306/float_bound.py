import allo
from allo import *

@kernel
def f(x: "i32[4]", y: f32):
    for i in range(y):
        x[i] = 0
# -->
# [E0306] float_bound.py:6:20: error: a bound of range must be an integer, not a float
# 6 |     for i in range(y):
#   |                    ^
