import allo
from allo import *

@kernel
def f(x: f16, y: bf16) -> f32:
    return x + y
# -->
# [E0301] no_rule_f16_bf16.py:6:12: error: No hls type promotion rule for operator 'add' with operand types f16, bf16
# 6 |     return x + y
#   |            ^^^^^
# help: cast one operand to the type of the other, or both to a wider one
