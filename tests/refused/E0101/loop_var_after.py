import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    for i in range(4):
        y = i
    return i + y
# -->
# [E0101] loop_var_after.py:8:12: error: Name 'i' is not defined
# 8 |     return i + y
#   |            ^
# loop_var_after.py:6:9: note: 'i' belongs to a block that has ended
# 6 |     for i in range(4):
#   |         ^
# help: declare a variable before the block and assign it there
