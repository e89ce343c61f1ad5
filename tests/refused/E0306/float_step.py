from allo import *


@kernel
def f(x: i32) -> i32:
    for i in range(0, 4, 0.5):
        x += 1
    return x
# -->
# [E0306] float_step.py:6:26: error: the step of range must be an integer, not a float
# 6 |     for i in range(0, 4, 0.5):
#   |                          ^^^
