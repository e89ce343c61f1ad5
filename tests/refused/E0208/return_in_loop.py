import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    for i in range(4):
        return x
    return x
# -->
# [E0208] return_in_loop.py:7:9: error: return inside a loop is not supported
# 7 |         return x
#   |         ^^^^^^^^
# help: assign the result to a variable and return it at the end of the body
