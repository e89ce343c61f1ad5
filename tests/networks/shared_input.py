from allo import *


@kernel
def pairs(a: Stream[i16], o: Stream[i32]):
    for i in range(8):
        x = a.get()
        y = a.get()
        o.put(x - y)


@kernel
def every_third(a: Stream[i16], p: Stream[i16]):
    for i in range(5):
        x = a.get()
        y = a.get()
        z = a.get()
        p.put(z)


@kernel
def top(a: Stream[i16, 4], o: Stream[i32], p: Stream[i16]) -> i32:
    pairs(a, o)
    every_third(a, p)
    total: i32 = 0
    for i in range(13):
        total += a.get()
    return total
