import allo
from allo import *

@kernel
def f(x: "i32[4]"):
    for i in range(4):
        x[i] = -i
# -->
# [E0301] no_rule_index_neg.py:7:16: error: No hls type promotion rule for operator 'neg' with operand types index
# 7 |         x[i] = -i
#   |                ^^
# help: cast the index to an integer type first: `allo.arith.cast(i, i32)`
