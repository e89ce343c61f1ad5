from allo import *


@kernel
def f(n: Stateful[i32], y: "i32[1]"):
    y[0] = n
# -->
# [E0606] parameter.py:5:10: error: a parameter is not kept between invocations
# 5 | def f(n: Stateful[i32], y: "i32[1]"):
#   |          ^^^^^^^^^^^^^
