from allo import *


@kernel
def f(x: i32) -> i32:
    a, b += x, x
    return x
# -->
# [E0001] augmented_tuple.py:6:10: error: syntax error: expected `,`, found `+=`
# 6 |     a, b += x, x
#   |          ^^
