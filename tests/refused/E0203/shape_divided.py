from allo import *


N = 9


@kernel
def f(x: "i32[N / 2]"):
    x[0] = 1
# -->
# [E0203] shape_divided.py:8:15: error: the extent of a shape must be an int, not a float
# 8 | def f(x: "i32[N / 2]"):
#   |               ^^^^^
# help: ints are divided by `//`
