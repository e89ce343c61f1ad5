from allo import *


@consteval
def table(n):
    assert n % 2 == 0, "n must be even"
    return n


@kernel
def f(x: i32) -> i32:
    return x + table(3)
# -->
# [E0701] consteval_assert.py:6:5: error: assertion failed at compile time: n must be even
# 6 |     assert n % 2 == 0, "n must be even"
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# consteval_assert.py:12:16: note: in the compile-time call of 'table'
# 12 |     return x + table(3)
#    |                ^^^^^^^^
