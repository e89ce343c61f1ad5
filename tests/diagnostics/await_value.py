from allo import *


@kernel
def f(x: i32) -> i32:
    return await x
