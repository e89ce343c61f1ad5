from allo import *


T = Template(3)


@kernel(T)
def f(x: T) -> T:
    return x


@kernel
def g(x: i32) -> i32:
    return f[i32](x)
