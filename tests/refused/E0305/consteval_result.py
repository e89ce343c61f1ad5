from allo import *


@consteval
def table():
    return {1: 2}


@kernel
def f(x: i32) -> i32:
    return x + table()
# -->
# [E0305] consteval_result.py:11:16: error: operator 'add' needs a scalar, not a dict
# 11 |     return x + table()
#    |                ^^^^^^^
