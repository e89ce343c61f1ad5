import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    if x > 0:
        if x > 1:
            return x
    return 0
# -->
# [E0208] return_in_nested_if.py:8:13: error: return inside a nested if or match is not supported
# 8 |             return x
#   |             ^^^^^^^^
# help: assign the result to a variable and return it at the end of the body
