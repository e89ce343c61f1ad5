from allo import *


N = 5
if N % 2:
    raise ValueError("N must be even")


@kernel
def f(x: i32) -> i32:
    return x + N
