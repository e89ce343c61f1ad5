from allo import *


@kernel
def f(x: "i32[4]"):
    for i in range(stop=4):
        x[i] = 0
