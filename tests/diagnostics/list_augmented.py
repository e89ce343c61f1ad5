from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[2]" = 0
    b += [1, 2]
    return x
