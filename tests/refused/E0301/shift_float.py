from allo import *


@kernel
def f(x: i32, y: f32) -> i32:
    return x << y
# -->
# [E0301] shift_float.py:6:12: error: No hls type promotion rule for operator 'lshift' with operand types i32, f32
# 6 |     return x << y
#   |            ^^^^^^
# help: cast one operand to the type of the other, or both to a wider one
