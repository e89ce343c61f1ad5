from allo import *


@kernel
def f(x: i32) -> i32:
    n: Stateful[i32]
    n += x
    return n
# -->
# [E0405] kept.py:6:5: error: 'n' needs a value that it has after a reset
# 6 |     n: Stateful[i32]
#   |     ^
# help: write `n: Stateful[i32] = 0`
