from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]" = 0
    while b:
        x += 1
    return x
# -->
# [E0305] while_array.py:7:11: error: a scalar is needed, not an array
# 7 |     while b:
#   |           ^
# help: name an element, such as `x[i]`
