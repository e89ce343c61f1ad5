import allo
from allo import *

@kernel
def f(x: "i32[4]"):
    y: "i32[5]" = x
# -->
# [E0304] shape_mismatch.py:6:19: error: cannot assign i32[4] to i32[5]
# 6 |     y: "i32[5]" = x
#   |                   ^
