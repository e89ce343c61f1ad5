import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    s: i32 = 0
    for i, j in allo.grid(4, 4):
        s += i
    return s
# -->
# [E0409] grid_carried.py:8:9: error: the scalar 's' would be carried across the iterations of a grid
# 8 |         s += i
#   |         ^
# help: use nested range loops
