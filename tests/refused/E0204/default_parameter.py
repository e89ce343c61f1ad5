import allo
from allo import *

@kernel
def f(x: i32 = 3) -> i32:
    return x
# -->
# [E0204] default_parameter.py:5:16: error: default parameter values are not supported
# 5 | def f(x: i32 = 3) -> i32:
#   |                ^
