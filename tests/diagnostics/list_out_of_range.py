from allo import *


@kernel
def f(x: i32) -> i32:
    b: "u8[2]" = [1, 256]
    return x
