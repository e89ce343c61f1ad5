from allo import *


@kernel
def f(x: "i32[4]"):
    for i, v in enumerate(x):
        x[i] = v
