from allo import *


@kernel
def f(x: i32) -> i32:
    while x > 3:
        x -= 1
    else:
        x = 0
    return x
