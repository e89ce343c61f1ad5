from allo import *


@kernel
def f(x: "i32[4]") -> "i32[4]":
    return x.copy()
# -->
# [E0104] copy_method.py:6:12: error: an array has no attribute 'copy'
# 6 |     return x.copy()
#   |            ^^^^^^
# help: an assignment copies: `y = x`
