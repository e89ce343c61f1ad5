from allo import *


@kernel
def f(x: i32) -> i32:
    if x > 0:
        return x
    elif x < 0:
        return 0
