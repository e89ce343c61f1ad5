from allo import *


@consteval
def table(n):
    raise ValueError("n must be even")


@kernel
def f(x: i32) -> i32:
    return x + table(3)
# -->
# [E0702] consteval_raises.py:6:5: error: ValueError: n must be even
# 6 |     raise ValueError("n must be even")
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# consteval_raises.py:11:16: note: in the compile-time call of 'table'
# 11 |     return x + table(3)
#    |                ^^^^^^^^
