from allo import *


@kernel
def f(x: "i32[4]"):
    for i, v in enumerate(x):
        x[i] = v
# -->
# [E0408] loop_enumerate.py:6:17: error: a for loop must run over range or allo.grid
# 6 |     for i, v in enumerate(x):
#   |                 ^^^^^^^^^^^^
# help: write `for i in range(n):`
