import allo
from allo import *

@kernel
def f(x: i32):
    for i in range(4):
        pass
    else:
        pass
# -->
# [E0401] loop_else.py:9:9: error: 'for ... else' is not supported
# 9 |         pass
#   |         ^^^^
# help: without break, the else block is what follows the loop: write it there
