import allo
from allo import *

@kernel
def f(x: i32) -> u8:
    y: u8 = 300
    return y
# -->
# [E0302] literal_range.py:6:13: error: the constant 300 is out of range for u8
# 6 |     y: u8 = 300
#   |             ^^^
