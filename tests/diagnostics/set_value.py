from allo import *


@kernel
def f(x: i32) -> i32:
    s = {1, 2}
    return x
