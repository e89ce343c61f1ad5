from allo import *


@kernel
def f(x: i32) -> i32:
    N: constexpr = 4
    N += 1
    return x
# -->
# [E0404] constexpr_augmented.py:7:5: error: constexpr 'N' cannot be assigned
# 7 |     N += 1
#   |     ^
