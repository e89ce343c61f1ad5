import allo
from allo import *

@kernel
def f(x: "i32[65536, 65536]"):
    pass
# -->
# [E0203] shape_huge.py:5:11: error: the shape has 2^32 elements or more
# 5 | def f(x: "i32[65536, 65536]"):
#   |           ^^^^^^^^^^^^^^^^^
