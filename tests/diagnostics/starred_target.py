from allo import *


@kernel
def f(x: i32) -> i32:
    a, *b = x, x, x
    return a
