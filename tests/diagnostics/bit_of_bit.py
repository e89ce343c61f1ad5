from allo import *


@kernel
def f(x: i32) -> i32:
    x[0][0] = 1
    return x
