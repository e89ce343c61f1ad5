from allo import *


@kernel
def feed(a: Stream[i32], b: Stream[i32], c: Stream[i32], d: Stream[i32]):
    for k in range(16):
        c.put(a.get())
        d.put(b.get())


@kernel
def top(x: "i32[16]", y: "i32[16]", o: Stream[i32]):
    a: Stream[i32]
    b: Stream[i32]
    c: Stream[i32]
    d: Stream[i32]
    for i in range(16):
        a.put(x[i])
        b.put(y[i])
    feed(a, b, c, d)
    for i in range(16):
        o.put(c.get() - d.get())
