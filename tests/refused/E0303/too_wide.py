import allo
from allo import *

@kernel
def f(x: apint(4000), y: apint(100)) -> i32:
    return x * y
# -->
# [E0303] too_wide.py:6:12: error: the result is 4100 bits wide; the widest integer has 4096
# 6 |     return x * y
#   |            ^^^^^
