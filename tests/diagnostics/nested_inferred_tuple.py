import allo
from allo import *


@kernel
def f(x: i32) -> i32:
    @kernel
    def g(u) -> i32:
        return u
    return g((x, 1))
