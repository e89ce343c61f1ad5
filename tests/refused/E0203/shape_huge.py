import allo
from allo import *

@kernel
def f(x: "i32[2147483648, 4294967296]"):
    pass
# -->
# [E0203] shape_huge.py:5:11: error: the shape has more than 2^62 elements
# 5 | def f(x: "i32[2147483648, 4294967296]"):
#   |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^
