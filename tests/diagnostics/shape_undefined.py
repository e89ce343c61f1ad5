from allo import *


@kernel
def f(x: "i32[M]"):
    x[0] = 1
