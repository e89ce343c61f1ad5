from allo import *


@kernel
def f(x: i32) -> i32:
    for i in range(4):
        if x == i:
            continue
        x += 1
    return x
# -->
# [E0401] continue_in_loop.py:8:13: error: 'continue' is not supported in a kernel
# 8 |             continue
#   |             ^^^^^^^^
# help: put the rest of the loop's body under an if
