from allo import *


@kernel
def produce(x: "i32[64]", s: Stream[i32]):
    for i in range(64):
        s.put(x[i] * 3)


@kernel
def middle(s: Stream[i32], t: Stream[i32]):
    for i in range(64):
        v = s.get()
        t.put(v * v + 1)


@kernel
def consume(t: Stream[i32], y: "i32[64]"):
    for i in range(64):
        y[i] = t.get() - 1


@kernel
def top(x: "i32[64]", y: "i32[64]"):
    s: Stream[i32]
    t: Stream[i32]
    produce(x, s)
    middle(s, t)
    consume(t, y)
