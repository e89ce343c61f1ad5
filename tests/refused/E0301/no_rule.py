import allo
from allo import *

@kernel
def f(x: f32) -> f32:
    return x & 1
# -->
# [E0301] no_rule.py:6:12: error: No hls type promotion rule for operator 'bitwise_and' with operand types f32, f32
# 6 |     return x & 1
#   |            ^^^^^
