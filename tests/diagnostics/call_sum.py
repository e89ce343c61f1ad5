from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]" = 0
    return sum(b)
