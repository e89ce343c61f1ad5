from allo import *


@kernel
def f(x: i32) -> i32:
    while 1:
        x += 1
    return x
# -->
# [E0410] while_one.py:6:11: error: the condition of this loop is always true
# 6 |     while 1:
#   |           ^
# help: write the condition for going on, such as `while x < n:`
