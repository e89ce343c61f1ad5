from allo import *


@kernel
def f(x: i32) -> i32:
    for i in range(4):
        if x == i:
            continue
        x += 1
    return x
