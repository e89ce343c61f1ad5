from allo import *


T = (1, 2)


@kernel
def f(x: i32) -> i32:
    return x + T[2]
