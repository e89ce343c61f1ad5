import allo
from allo import *

@kernel
def f(x: "i32[4]") -> i32:
    return x.T
# -->
# [E0104] attribute.py:6:12: error: an array has no attribute 'T'
# 6 |     return x.T
#   |            ^^^
# help: swap the indices where it is read: `x[j, i]`
