from allo import *


@kernel
def f(**x: i32) -> i32:
    return 1
# -->
# [E0204] double_star_parameter.py:5:7: error: a kernel cannot take a variable number of arguments
# 5 | def f(**x: i32) -> i32:
#   |       ^^^^^^^^
