from allo import *


@kernel
def f(x: i32, y: apint(2000)) -> i32:
    return y * y * y
