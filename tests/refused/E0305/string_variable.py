from allo import *


@kernel
def f(x: i32) -> i32:
    s = 'text'
    return x
# -->
# [E0305] string_variable.py:6:9: error: a variable cannot hold a string
# 6 |     s = 'text'
#   |         ^^^^^^
# help: declare it as a compile-time name: `s: constexpr = ...`
