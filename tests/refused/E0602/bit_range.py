import allo
from allo import *

@kernel
def f(x: i8) -> i32:
    return x[8]
# -->
# [E0602] bit_range.py:6:14: error: bit 8 is out of range 0 to 7
# 6 |     return x[8]
#   |              ^
