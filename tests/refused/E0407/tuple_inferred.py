from allo import *


@kernel
def f(x: i32) -> i32:
    t = x, x
    return x
# -->
# [E0407] tuple_inferred.py:6:9: error: a tuple must be unpacked into several names
# 6 |     t = x, x
#   |         ^^^^
