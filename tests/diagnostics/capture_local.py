from allo import *


@kernel
def f(x: i32) -> i32:
    y: i32 = x

    @kernel
    def g(v: i32) -> i32:
        return v + y

    return g(x)
