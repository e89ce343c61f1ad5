from allo import *


wide = apint(4097)


@kernel
def f(x: wide) -> i32:
    return x
