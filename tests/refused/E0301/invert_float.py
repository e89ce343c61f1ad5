from allo import *


@kernel
def f(y: f32) -> f32:
    return ~y
# -->
# [E0301] invert_float.py:6:12: error: No hls type promotion rule for operator 'invert' with operand types f32
# 6 |     return ~y
#   |            ^^
