import allo
from allo import *

@kernel
def f(x: i32):
    for i in allo.grid(4, 4):
        pass
# -->
# [E0408] grid_target.py:6:9: error: the target of a grid loop is a tuple of plain names
# 6 |     for i in allo.grid(4, 4):
#   |         ^
# help: write `for i, j in allo.grid(m, n):`
