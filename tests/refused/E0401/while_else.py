from allo import *


@kernel
def f(x: i32) -> i32:
    while x > 3:
        x -= 1
    else:
        x = 0
    return x
# -->
# [E0401] while_else.py:9:9: error: 'while ... else' is not supported
# 9 |         x = 0
#   |         ^^^^^
# help: without break, the else block is what follows the loop: write it there
