# An array outside goes from one process to the next, and changes with each invocation: these do not overlap.
from allo import *


@kernel
def adds(x: "i32[8]", y: "i32[8]"):
    for i in range(8):
        y[i] = y[i] + x[i] + 1


@kernel
def turns(y: "i32[8]", z: "i32[8]"):
    for i in range(8):
        z[i] = y[7 - i] * 3


@kernel
def top(x: "i32[8]", y: "i32[8]", z: "i32[8]"):
    s: Stream[i32]
    adds(x, y)
    turns(y, z)
