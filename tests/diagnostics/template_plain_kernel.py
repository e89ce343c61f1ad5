from allo import *


@kernel
def g(x: i32) -> i32:
    return x


@kernel
def f(x: i32) -> i32:
    return g[i32](x)
