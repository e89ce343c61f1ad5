from allo import *


import math


@kernel
def f(x: f32) -> f32:
    return math.sqrt(x)
# -->
# [E0107] call_module.py:9:22: error: 'math.sqrt' takes compile-time values only
# 9 |     return math.sqrt(x)
#   |                      ^
# help: use allo.math.sqrt for runtime values
