from allo import *


@kernel
def f(x: "i32[4]"):
    r = range(4)
    for i in r:
        x[i] = 0
