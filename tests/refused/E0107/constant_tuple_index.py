from allo import *


T = (1, 2)


@kernel
def f(x: i32) -> i32:
    return T[x]
# -->
# [E0107] constant_tuple_index.py:9:14: error: a tuple is indexed with compile-time values only
# 9 |     return T[x]
#   |              ^
