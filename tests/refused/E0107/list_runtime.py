import allo
from allo import *

@kernel
def f(x: i32):
    y: "i32[2]" = [x, 1]
# -->
# [E0107] list_runtime.py:6:20: error: the elements of a list must be compile-time values
# 6 |     y: "i32[2]" = [x, 1]
#   |                    ^
