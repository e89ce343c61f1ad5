from allo import *


@kernel
def f(x: i32) -> i32:
    N: constexpr
    return x
# -->
# [E0404] constexpr_uninitialised.py:6:5: error: constexpr 'N' needs an initialiser
# 6 |     N: constexpr
#   |     ^
