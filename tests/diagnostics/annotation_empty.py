from allo import *


@kernel
def f(x: "") -> i32:
    return x
