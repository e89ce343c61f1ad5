from allo import *


N = 2


@kernel
def f(x: "i32[N - 4]"):
    x[0] = 1
# -->
# [E0203] shape_negative.py:8:15: error: the extent of a shape must be positive, not -2
# 8 | def f(x: "i32[N - 4]"):
#   |               ^^^^^
