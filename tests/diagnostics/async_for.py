from allo import *


@kernel
def f(x: i32) -> i32:
    async for i in range(4):
        x += 1
    return x
