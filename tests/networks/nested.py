from allo import *


@kernel
def double(a: Stream[i16], b: Stream[i16]):
    for i in range(12):
        b.put(a.get() * 2)


@kernel
def twice(a: Stream[i16], b: Stream[i16], total: "i32[2]"):
    m: Stream[i16]
    double(a, m)
    double(m, b)
    total[0] = 5


@kernel
def top(a: Stream[i16], b: Stream[i16], n: i8) -> (i32, i8):
    total: "i32[2]"
    m: Stream[i16]
    twice(a, m, total)
    k = n + 1
    for i in range(12):
        if i > k:
            b.put(m.get() + n)
        else:
            b.put(m.get())
    return total[0] + k, n
