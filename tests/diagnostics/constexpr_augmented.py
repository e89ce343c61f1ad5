from allo import *


@kernel
def f(x: i32) -> i32:
    N: constexpr = 4
    N += 1
    return x
