import allo
from allo import *


@kernel
def f(a: index) -> f32:
    return allo.math.exp(a)
# -->
# [E0301] math_index.py:7:12: error: No hls type promotion rule for operator 'exp' with operand types index
# 7 |     return allo.math.exp(a)
#   |            ^^^^^^^^^^^^^^^^
# help: cast the index to an integer type first: `allo.arith.cast(i, i32)`
