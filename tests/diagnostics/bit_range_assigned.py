from allo import *


@kernel
def f(x: i32) -> i32:
    x[0:4] = 3
    return x
