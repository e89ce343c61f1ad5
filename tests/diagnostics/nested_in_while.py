from allo import *


@kernel
def f(x: i32) -> i32:
    while x > 0:
        @kernel
        def g(v: i32) -> i32:
            return v

        x = g(x)
    return x
