from allo import i32, kernel

import os

N = os.system("true")


@kernel
def f(x: i32) -> i32:
    return x + N
# -->
# [E0102] hostile_system.py:10:16: error: 'N' has no value at compile time: 'os' has no value at compile time: module 'os' is not available at compile time
# 10 |     return x + N
#    |                ^
# hostile_system.py:5:1: note: 'N' is bound here
# 5 | N = os.system("true")
#   | ^
