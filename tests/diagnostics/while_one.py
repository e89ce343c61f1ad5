from allo import *


@kernel
def f(x: i32) -> i32:
    while 1:
        x += 1
    return x
