import allo
from allo import *


@kernel
def f(x: "i32[4, 4]"):
    for i, j in allo.grid((0, 4, 1, 1), 4):
        x[i, j] = 0
# -->
# [E0502] grid_bounds_count.py:7:27: error: a dimension of grid takes 1 to 3 arguments, but 4 given
# 7 |     for i, j in allo.grid((0, 4, 1, 1), 4):
#   |                           ^^^^^^^^^^^^
