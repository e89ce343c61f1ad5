from allo import *


@kernel
def f(x: i32) -> i32:
    return x + None
# -->
# [E0305] add_none.py:6:16: error: operator 'add' needs a scalar, not None
# 6 |     return x + None
#   |                ^^^^
