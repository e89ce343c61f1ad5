from allo import *


@consteval
def double(n):
    return 2 * n


@kernel
def f(x: i32) -> i32:
    return double(x)
# -->
# [E0107] consteval_runtime.py:11:19: error: 'double' takes compile-time values only
# 11 |     return double(x)
#    |                   ^
