from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[2]" = 0
    b += [1, 2]
    return x
# -->
# [E0305] list_augmented.py:7:10: error: operator 'add' needs a scalar, not a list
# 7 |     b += [1, 2]
#   |          ^^^^^^
