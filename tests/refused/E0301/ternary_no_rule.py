import allo
from allo import *

@kernel
def f(c: bool, x: f16, y: bf16) -> f32:
    return x if c else y
# -->
# [E0301] ternary_no_rule.py:6:12: error: No hls type promotion rule for operator 'select' with operand types f16, bf16
# 6 |     return x if c else y
#   |            ^^^^^^^^^^^^^
# help: cast one operand to the type of the other, or both to a wider one
