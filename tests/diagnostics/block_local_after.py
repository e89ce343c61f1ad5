from allo import *


@kernel
def f(x: i32) -> i32:
    if x > 0:
        y: i32 = 1
    return y
