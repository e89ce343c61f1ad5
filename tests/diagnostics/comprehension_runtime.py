from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]" = [x for i in range(4)]
    return x
