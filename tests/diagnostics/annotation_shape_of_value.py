from allo import *


N = 4


@kernel
def f(x: "N[4]") -> i32:
    return x[0]
