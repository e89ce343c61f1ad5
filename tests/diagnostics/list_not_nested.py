from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[2, 2]" = [1, 2]
    return x
