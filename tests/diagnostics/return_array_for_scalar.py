from allo import *


@kernel
def f(x: "i32[4]") -> i32:
    return x
