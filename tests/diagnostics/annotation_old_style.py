from allo import *


@kernel
def f(x: int32[4]) -> i32:
    return x[0]
