import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    x.y = 3
    return x
# -->
# [E0406] attribute_assignment.py:6:5: error: attribute assignment is not supported
# 6 |     x.y = 3
#   |     ^^^
