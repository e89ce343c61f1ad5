from allo import *


@kernel
def f(x: i32) -> i32:
    g = lambda v: v
    return g(x)
# -->
# [E0402] lambda_value.py:6:9: error: a lambda is not supported in a kernel
# 6 |     g = lambda v: v
#   |         ^^^^^^^^^^^
