from allo import *


@kernel
def f(x: i32) -> i32:
    return x + [1]
# -->
# [E0305] add_list.py:6:16: error: operator 'add' needs a scalar, not a list
# 6 |     return x + [1]
#   |                ^^^
