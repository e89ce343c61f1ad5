from allo import *


@kernel
def f(x: i32) -> i32:
    x @= x
    return x
# -->
# [E0402] matmul_assign.py:6:5: error: the operator '@=' is not supported
# 6 |     x @= x
#   |     ^^^^^^
