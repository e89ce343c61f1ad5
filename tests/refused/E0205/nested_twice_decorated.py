from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    @consteval
    def g(v: i32) -> i32:
        return v

    return g(x)
# -->
# [E0205] nested_twice_decorated.py:6:5: error: a kernel has exactly one decorator
# 6 |     @kernel
#   |     ^^^^^^^
