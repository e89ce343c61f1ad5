import allo
from allo import *


@kernel
def f(x: "i32[4, 4]"):
    for x[0, 0], j in allo.grid(4, 4):
        pass
# -->
# [E0408] grid_target_element.py:7:9: error: the target of a grid loop is a tuple of plain names
# 7 |     for x[0, 0], j in allo.grid(4, 4):
#   |         ^^^^^^^
