from allo import *


@kernel
async def f(x: i32) -> i32:
    return x
# -->
# [E0205] kernel_async.py:5:11: error: a kernel cannot be async
# 5 | async def f(x: i32) -> i32:
#   |           ^
