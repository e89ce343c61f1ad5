from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]"
    b[0]: i32 = x
    return x
