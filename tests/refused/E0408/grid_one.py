import allo
from allo import *

@kernel
def f(x: i32):
    for i in allo.grid(4):
        pass
# -->
# [E0408] grid_one.py:6:14: error: grid needs at least two dimensions
# 6 |     for i in allo.grid(4):
#   |              ^^^^^^^^^^^^
# help: use range for a single loop
