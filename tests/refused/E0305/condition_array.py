import allo
from allo import *


@kernel
def f(a: "i32[2]", b: "i32[2]") -> i32:
    r: i32 = 0
    if a == b:
        r = 1
    return r
# -->
# [E0305] condition_array.py:8:8: error: a scalar is needed, not an array
# 8 |     if a == b:
#   |        ^^^^^^
# help: name an element, such as `x[i]`
