import allo
from allo import *

@kernel
def f(x: "i32[0]"):
    pass
# -->
# [E0203] shape_zero.py:5:15: error: the extent of a shape must be positive, not 0
# 5 | def f(x: "i32[0]"):
#   |               ^
