from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    @consteval
    def g(v: i32) -> i32:
        return v

    return g(x)
