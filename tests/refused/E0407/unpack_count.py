import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    a, b = x, x, x
    return x
# -->
# [E0407] unpack_count.py:6:5: error: 2 targets, but 3 values
# 6 |     a, b = x, x, x
#   |     ^^^^^^^^^^^^^^
