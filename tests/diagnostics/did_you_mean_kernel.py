from allo import *


@kernel
def scale(x: i32) -> i32:
    return x

@kernel
def f(x: i32) -> i32:
    return scael(x)
