from allo import *


@kernel
def f(x: i32) -> i32:
    a, (b, c) = x, (x, x)
    return a
