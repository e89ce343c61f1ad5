import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return x + 10 ** 10 ** 8
# -->
# [E0106] huge_power.py:6:16: error: a compile-time int exceeds 131072 bits
# 6 |     return x + 10 ** 10 ** 8
#   |                ^^^^^^^^^^^^^
