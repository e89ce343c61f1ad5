from allo import *


u0 = apint(0)


@kernel
def f(x: u0) -> i32:
    return x
