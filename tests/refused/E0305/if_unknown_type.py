import allo
from allo import *

@kernel
def f(x: "i32[4]") -> i32:
    r: i32 = 0
    if x:
        r = 1
    return r
# -->
# [E0305] if_unknown_type.py:7:8: error: a scalar is needed, not an array
# 7 |     if x:
#   |        ^
# help: name an element, such as `x[i]`
