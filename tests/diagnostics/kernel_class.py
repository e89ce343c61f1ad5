from allo import *


@kernel
class f:
    pass


@kernel
def g(x: i32) -> i32:
    return f(x)
