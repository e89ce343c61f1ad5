from allo import *


@kernel
def g(x: i32) -> (i32, i32, i32):
    return x, x, x


@kernel
def f(x: i32) -> i32:
    a, b = g(x)
    return a
