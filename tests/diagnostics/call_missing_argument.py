from allo import *


@kernel
def g(a: i32, b: i32) -> i32:
    return a


@kernel
def f(x: i32) -> i32:
    return g(a=x)
