from allo import *


@kernel
def f(x: i32) -> i32:
    a, b += x, x
    return x
