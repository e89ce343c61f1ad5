import allo
from allo import *


@kernel
def f(c: i32, a: "i32[3]", b: "i32[2]") -> "i32[3]":
    return a if c else b
# -->
# [E0304] select_shapes.py:7:24: error: the shapes [3] and [2] cannot be broadcast together
# 7 |     return a if c else b
#   |                        ^
