from allo import *


@kernel
def f(x: i32) -> i32:
    while x > 0:
        return x
    return x
# -->
# [E0208] return_in_while.py:7:9: error: return inside a loop is not supported
# 7 |         return x
#   |         ^^^^^^^^
# help: assign the result to a variable and return it at the end of the body
