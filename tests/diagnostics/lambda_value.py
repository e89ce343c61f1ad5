from allo import *


@kernel
def f(x: i32) -> i32:
    g = lambda v: v
    return g(x)
