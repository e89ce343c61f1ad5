from allo import *

@kernel
def src(x: "i16[32]", s: Stream[i16]):
    for i in range(32):
        s.put(x[i])

@kernel
def low(s: Stream[i16], o: Stream[i16]):
    for i in range(32):
        v = s.get()
        if v < 10:
            o.put(v)
    o.put(0)

@kernel
def sums(s: Stream[i16]) -> i32:
    t: i32 = 0
    for i in range(32):
        t += s.get()
    return t

@kernel
def top(x: "i16[32]", o: Stream[i16]) -> i32:
    s: Stream[i16]
    src(x, s)
    low(s, o)
    return sums(s)
