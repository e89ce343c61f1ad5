from allo import *


@kernel
def f(x: i32) -> i32:
    for i in range(4):
        if x == i:
            break
    return x
# -->
# [E0401] break_in_loop.py:8:13: error: 'break' is not supported in a kernel
# 8 |             break
#   |             ^^^^^
# help: use a while loop whose condition says when to go on
