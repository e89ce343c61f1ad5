from allo import *


@kernel
def f(x: i32) -> i32:
    y: i23 = x
    return y
