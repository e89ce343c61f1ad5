from allo import *


@kernel
def f(x: i32) -> i32:
    b: "i32[4]" = 0

    @kernel
    def g(v: i32) -> i32:
        return b[v]

    return g(x)
