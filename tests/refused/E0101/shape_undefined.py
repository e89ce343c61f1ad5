from allo import *


@kernel
def f(x: "i32[M]"):
    x[0] = 1
# -->
# [E0101] shape_undefined.py:5:15: error: Name 'M' is not defined
# 5 | def f(x: "i32[M]"):
#   |               ^
