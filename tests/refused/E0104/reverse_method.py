from allo import *


@kernel
def f(x: "i32[4]") -> "i32[4]":
    return x.reverse()
# -->
# [E0104] reverse_method.py:6:12: error: an array has no attribute 'reverse'
# 6 |     return x.reverse()
#   |            ^^^^^^^^^
