from allo import *


@kernel
def once(m: "i32[8]", y: "i32[8]"):
    for i in range(8):
        y[i] = m[i] * 3


@kernel
def twice(m: "i32[8]", z: "i32[8]"):
    for i in range(8):
        z[i] = m[i] - m[7 - i]


@kernel
def top(m: "i32[8]", y: "i32[8]", z: "i32[8]"):
    s: Stream[i32]
    once(m, y)
    twice(m, z)
