from allo import *


@kernel
def f(x: i32) -> i32:
    for i in range(4):
        i[0] = 1
    return x
