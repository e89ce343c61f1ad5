import allo
from allo import *

@kernel
def f(x: "i32[4, 4]") -> i32:
    return x[0]
# -->
# [E0601] index_count.py:6:12: error: 'x' needs 2 indices, but 1 given
# 6 |     return x[0]
#   |            ^^^^
# help: partial subviews are not supported; write all indices in one pair of brackets
