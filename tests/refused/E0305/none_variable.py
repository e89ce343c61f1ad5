from allo import *


@kernel
def f(x: i32) -> i32:
    s = None
    return x
# -->
# [E0305] none_variable.py:6:9: error: a variable cannot hold None
# 6 |     s = None
#   |         ^^^^
# help: declare it as a compile-time name: `s: constexpr = ...`
