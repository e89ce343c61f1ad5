import allo
from allo import *

@kernel
def f(x: "i32[4]"):
    for v in x:
        pass
# -->
# [E0408] loop_iterable.py:6:14: error: a for loop must run over range or allo.grid
# 6 |     for v in x:
#   |              ^
# help: write `for i in range(n):`
