import allo
from allo import *

@kernel
def f(x: i32):
    for i in range():
        pass
# -->
# [E0502] loop_arguments.py:6:14: error: range takes 1 to 3 arguments, but 0 given
# 6 |     for i in range():
#   |              ^^^^^^^
