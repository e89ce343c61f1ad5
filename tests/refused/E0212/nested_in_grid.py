import allo
from allo import *


@kernel
def f(x: "i32[4, 4]"):
    for i, j in allo.grid(4, 4):
        @kernel
        def g(v: i32) -> i32:
            return v

        x[i, j] = g(i)
# -->
# [E0212] nested_in_grid.py:9:13: error: a nested kernel must be declared at the top level of the kernel's body
# 9 |         def g(v: i32) -> i32:
#   |             ^
