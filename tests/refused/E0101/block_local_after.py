from allo import *


@kernel
def f(x: i32) -> i32:
    if x > 0:
        y: i32 = 1
    return y
# -->
# [E0101] block_local_after.py:8:12: error: Name 'y' is not defined
# 8 |     return y
#   |            ^
# block_local_after.py:7:9: note: 'y' belongs to a block that has ended
# 7 |         y: i32 = 1
#   |         ^
# help: declare a variable before the block and assign it there
