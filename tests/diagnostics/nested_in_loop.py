from allo import *


@kernel
def f(x: "i32[4]"):
    for i in range(4):
        @kernel
        def g(v: i32) -> i32:
            return v

        x[i] = g(i)
