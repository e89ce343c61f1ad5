from allo import *


@kernel
def f(x: i32) -> i32:
    while x > 0:
        @kernel
        def g(v: i32) -> i32:
            return v

        x = g(x)
    return x
# -->
# [E0212] nested_in_while.py:8:13: error: a nested kernel must be declared at the top level of the kernel's body
# 8 |         def g(v: i32) -> i32:
#   |             ^
