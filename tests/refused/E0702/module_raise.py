from allo import *


N = 5
if N % 2:
    raise ValueError("N must be even")


@kernel
def f(x: i32) -> i32:
    return x + N
# -->
# [E0702] module_raise.py:6:5: error: ValueError: N must be even
# 6 |     raise ValueError("N must be even")
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
