from allo import *


@kernel
def f(x: i32):
    static_assert(x > 2)
# -->
# [E0107] static_assert_runtime.py:6:19: error: 'static_assert' takes compile-time values only
# 6 |     static_assert(x > 2)
#   |                   ^^^^^
