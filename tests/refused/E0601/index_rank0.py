import allo
from allo import *

@kernel
def f(x: "i32[]") -> i32:
    return x[0]
# -->
# [E0601] index_rank0.py:6:12: error: 'x' needs 0 indices, but 1 given
# 6 |     return x[0]
#   |            ^^^^
# help: index a rank-0 value with `[()]`
