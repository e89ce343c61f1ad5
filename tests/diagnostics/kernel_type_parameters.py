from allo import *


@kernel
def f[T](x: T) -> T:
    return x


@kernel
def g(x: i32) -> i32:
    return f[i32](x)
