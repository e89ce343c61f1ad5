import allo
from allo import *

@kernel
def f(x: "i32[4]") -> i32:
    y = x[0:2]
    return 0
# -->
# [E0604] slice_array.py:6:11: error: array slices are not supported
# 6 |     y = x[0:2]
#   |           ^^^
