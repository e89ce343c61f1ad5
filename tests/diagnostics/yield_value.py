from allo import *


@kernel
def f(x: i32) -> i32:
    yield x
    return x
