from allo import *


@kernel
def f(x: i32) -> i32:
    while x > 0:
        return x
    return x
