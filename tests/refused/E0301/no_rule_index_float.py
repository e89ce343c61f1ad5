import allo
from allo import *

@kernel
def f(x: "f32[4]"):
    for i in range(4):
        x[i] = i + 1.0
# -->
# [E0301] no_rule_index_float.py:7:16: error: No hls type promotion rule for operator 'add' with operand types index, f32
# 7 |         x[i] = i + 1.0
#   |                ^^^^^^^
# help: cast the index to an integer type first: `allo.arith.cast(i, i32)`
