from allo import *


@kernel
def f(x: i32) -> Stateful[i32]:
    return x
# -->
# [E0606] result.py:5:18: error: a result is not kept between invocations
# 5 | def f(x: i32) -> Stateful[i32]:
#   |                  ^^^^^^^^^^^^^
