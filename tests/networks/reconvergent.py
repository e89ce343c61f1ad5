from allo import *


@kernel
def split(x: "i32[24]", a: Stream[i32], b: Stream[i32]):
    for i in range(24):
        a.put(x[i])
        b.put(x[i] * 3)


@kernel
def sums(a: Stream[i32], s: Stream[i32]):
    for i in range(4):
        total: i32 = 0
        for j in range(6):
            total += a.get()
        s.put(total)


@kernel
def shares(s: Stream[i32], b: Stream[i32], o: Stream[i32]):
    for i in range(4):
        total = s.get()
        for j in range(6):
            o.put(total - b.get())


@kernel
def top(x: "i32[24]", o: Stream[i32]):
    a: Stream[i32]
    b: Stream[i32]
    s: Stream[i32]
    split(x, a, b)
    sums(a, s)
    shares(s, b, o)
