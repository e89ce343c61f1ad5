from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(v: i32) -> i32:
        return f(v)

    return g(x)
