import allo
from allo import *

@kernel
def f(x: "i32[4]") -> i32:
    y: i32 = x
    return y
# -->
# [E0305] array_as_scalar.py:6:14: error: a scalar is needed, not an array
# 6 |     y: i32 = x
#   |              ^
# help: name an element, such as `x[i]`
