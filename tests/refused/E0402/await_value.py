from allo import *


@kernel
def f(x: i32) -> i32:
    return await x
# -->
# [E0402] await_value.py:6:12: error: 'await' is not supported in a kernel
# 6 |     return await x
#   |            ^^^^^^^
