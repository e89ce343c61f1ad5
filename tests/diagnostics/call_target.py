from allo import *


@kernel
def f(x: i32) -> i32:
    range(3) = x
    return x
