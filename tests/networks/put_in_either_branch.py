# Data decide which branch is taken, and not what is transferred: the first stream is made as deep as it has to be.
from allo import *


@kernel
def give(x: "i32[8]", s: Stream[i32], t: Stream[i32]):
    for i in range(8):
        if x[i] > 0:
            s.put(x[i])
        else:
            s.put(0)
    for i in range(8):
        t.put(i)


@kernel
def take(s: Stream[i32], t: Stream[i32], y: "i32[8]"):
    for i in range(8):
        y[i] = t.get()
    for i in range(8):
        y[i] += s.get()


@kernel
def top(x: "i32[8]", y: "i32[8]"):
    s: Stream[i32, 1]
    t: Stream[i32, 1]
    give(x, s, t)
    take(s, t, y)
