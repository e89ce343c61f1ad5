from allo import *


@kernel
def f(x: i32) -> i32:
    yield x
    return x
# -->
# [E0402] yield_value.py:6:5: error: 'yield' is not supported in a kernel
# 6 |     yield x
#   |     ^^^^^^^
