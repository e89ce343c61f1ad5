from allo import *


@kernel
def f(x: i32) -> i32:
    async for i in range(4):
        x += 1
    return x
# -->
# [E0401] async_for.py:6:5: error: 'async for' is not supported in a kernel
# 6 |     async for i in range(4):
#   |     ^^^^^^^^^^^^^^^^^^^^^^^^
