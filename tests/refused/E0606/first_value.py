from allo import *


@kernel
def f(x: i32) -> i32:
    n: Stateful[i32] = x
    return n
# -->
# [E0606] first_value.py:6:24: error: what is kept between invocations has a first value that is known while compiling
# 6 |     n: Stateful[i32] = x
#   |                        ^
