from allo import *


@kernel
def f(x: i32) -> i32:
    s = {1, 2}
    return x
# -->
# [E0305] set_value.py:6:9: error: a variable cannot hold a set
# 6 |     s = {1, 2}
#   |         ^^^^^^
# help: declare it as a compile-time name: `s: constexpr = ...`
