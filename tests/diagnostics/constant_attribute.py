from allo import *


N = 3


@kernel
def f(x: i32) -> i32:
    return x + N.bits
