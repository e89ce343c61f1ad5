from allo import *


N = 9


@kernel
def f(x: "i32[N / 2]"):
    x[0] = 1
