import allo
from allo import *


@kernel
def f(c: i32, b: f32, o: "f32[3]"):
    for i in range(3):
        o[i] = i if c else b
# -->
# [E0301] select_index_float.py:8:16: error: No hls type promotion rule for operator 'select' with operand types index, f32
# 8 |         o[i] = i if c else b
#   |                ^^^^^^^^^^^^^
# help: cast the index to an integer type first: `allo.arith.cast(i, i32)`
