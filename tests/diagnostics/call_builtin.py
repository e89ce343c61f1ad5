from allo import *


@kernel
def f(x: i32) -> i32:
    return int(x)
