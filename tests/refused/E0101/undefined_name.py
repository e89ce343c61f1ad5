import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return x + y
# -->
# [E0101] undefined_name.py:6:16: error: Name 'y' is not defined
# 6 |     return x + y
#   |                ^
