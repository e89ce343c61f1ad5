from allo import *


@kernel
def f(x: "i32[4]"):
    for i in range(stop=4):
        x[i] = 0
# -->
# [E0502] range_keyword.py:6:20: error: a loop has no parameter 'stop'
# 6 |     for i in range(stop=4):
#   |                    ^^^^^^
