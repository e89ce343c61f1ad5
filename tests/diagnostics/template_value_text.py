from allo import *


N = Template("N")


@kernel(N)
def g(x: i32) -> i32:
    return x + N


@kernel
def f(x: i32) -> i32:
    return g["four"](x)
