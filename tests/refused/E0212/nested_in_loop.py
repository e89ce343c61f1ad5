from allo import *


@kernel
def f(x: "i32[4]"):
    for i in range(4):
        @kernel
        def g(v: i32) -> i32:
            return v

        x[i] = g(i)
# -->
# [E0212] nested_in_loop.py:8:13: error: a nested kernel must be declared at the top level of the kernel's body
# 8 |         def g(v: i32) -> i32:
#   |             ^
