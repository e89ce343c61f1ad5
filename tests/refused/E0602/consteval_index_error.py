from allo import *


@consteval
def table(n):
    return [1, 2][n]


@kernel
def f(x: i32) -> i32:
    return x + table(3)
# -->
# [E0602] consteval_index_error.py:6:12: error: the index is out of range
# 6 |     return [1, 2][n]
#   |            ^^^^^^^^^
# consteval_index_error.py:11:16: note: in the compile-time call of 'table'
# 11 |     return x + table(3)
#    |                ^^^^^^^^
