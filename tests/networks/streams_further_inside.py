from allo import *


@kernel
def half(s: Stream[i32], x: "i32[12]"):
    for i in range(12):
        s.put(x[i] >> 1)


@kernel
def inner(x: "i32[12]", y: "i32[12]"):
    s: Stream[i32]
    half(s, x)
    for i in range(12):
        y[i] = s.get() + 1


@kernel
def middle(x: "i32[12]", y: "i32[12]"):
    inner(x, y)


@kernel
def top(x: "i32[12]", y: "i32[12]") -> i32:
    middle(x, y)
    return y[3]
