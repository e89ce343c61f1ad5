from allo import *


T = Template("T")


@kernel(T)
def g(x: T) -> T:
    return x


@kernel
def f(x: i32) -> i32:
    return g[i32, 4](x)
