from allo import *


@kernel
def f(x: i32) -> i32:
    y: i32 = (x, x)
    return y
