from allo import *


@kernel
def f(x: i32) -> i32:
    t = x, x
    return x
