import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    N: constexpr = 4
    N = 5
    M: constexpr
    P: constexpr = x
    return x
# -->
# [E0404] constexpr_assigned.py:7:5: error: constexpr 'N' cannot be assigned
# 7 |     N = 5
#   |     ^
# [E0404] constexpr_assigned.py:8:5: error: constexpr 'M' needs an initialiser
# 8 |     M: constexpr
#   |     ^
# [E0107] constexpr_assigned.py:9:20: error: constexpr 'P' needs a compile-time value
# 9 |     P: constexpr = x
#   |                    ^
