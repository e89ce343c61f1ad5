import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    a, b = x
    return x
# -->
# [E0407] unpack_scalar.py:6:12: error: cannot unpack a value of type i32
# 6 |     a, b = x
#   |            ^
