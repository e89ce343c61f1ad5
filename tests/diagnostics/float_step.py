from allo import *


@kernel
def f(x: i32) -> i32:
    for i in range(0, 4, 0.5):
        x += 1
    return x
