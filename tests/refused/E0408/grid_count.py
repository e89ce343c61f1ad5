import allo
from allo import *

@kernel
def f(x: i32):
    for i, j, k in allo.grid(4, 4):
        pass
# -->
# [E0408] grid_count.py:6:9: error: grid has 2 dimensions, but 3 targets
# 6 |     for i, j, k in allo.grid(4, 4):
#   |         ^^^^^^^
