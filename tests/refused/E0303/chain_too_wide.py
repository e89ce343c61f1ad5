from allo import *


@kernel
def f(x: i32, y: apint(2000)) -> i32:
    return y * y * y
# -->
# [E0303] chain_too_wide.py:6:12: error: the result is 6000 bits wide; the widest integer has 4096
# 6 |     return y * y * y
#   |            ^^^^^^^^^
