from allo import *


T = Template("T")


@kernel(T)
def h(x: T) -> T:
    return x << 0.5


@kernel(T)
def g(x: T) -> T:
    return h[T](x)


@kernel
def f(x: i32) -> i32:
    return g[i32](x)
