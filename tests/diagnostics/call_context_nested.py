# top: f
from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(v: i32) -> i32:
        return v + undefined

    return g(x)
