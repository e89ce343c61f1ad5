from allo import *


N = 2


@kernel
def f(x: "i32[N - 4]"):
    x[0] = 1
