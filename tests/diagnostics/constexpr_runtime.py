from allo import *


@kernel
def f(x: i32) -> i32:
    N: constexpr = x + 1
    return N
