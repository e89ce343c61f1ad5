import allo
from allo import *

@kernel
def f(x: "i32[2.0]"):
    pass
# -->
# [E0203] shape_float.py:5:15: error: the extent of a shape must be an int, not a float
# 5 | def f(x: "i32[2.0]"):
#   |               ^^^
# help: ints are divided by `//`
