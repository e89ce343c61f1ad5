from allo import *


N = 4


@kernel
def f(x: i32) -> i32:
    N += x
    return x
