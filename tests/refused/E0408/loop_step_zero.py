import allo
from allo import *

@kernel
def f(x: i32):
    for i in range(0, 4, 0):
        pass
# -->
# [E0408] loop_step_zero.py:6:26: error: the step of range must not be zero
# 6 |     for i in range(0, 4, 0):
#   |                          ^
