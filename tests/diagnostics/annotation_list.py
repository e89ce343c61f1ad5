from allo import *


@kernel
def f(x: list[i32]) -> i32:
    return x[0]
