import allo
from allo import *

@kernel
def f(x: i32):
    y: "i32[2, 2]" = [[1, 2], [3]]
# -->
# [E0304] list_shape.py:6:22: error: the list has 1 elements where the shape has 2
# 6 |     y: "i32[2, 2]" = [[1, 2], [3]]
#   |                      ^^^^^^^^^^^^^
