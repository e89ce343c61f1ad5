from allo import *


@kernel
def f(a: "i32[4]", b: "i32[3]", c: "i32[4]"):
    c = a + b
# -->
# [E0304] add_shapes.py:6:13: error: the shapes [4] and [3] cannot be broadcast together
# 6 |     c = a + b
#   |             ^
