from allo import *


@kernel
def f(x: "i32[4]"):
    for i, j in range(4):
        x[i] = 0
