from allo import *


@kernel
async def f(x: i32) -> i32:
    return x
