from allo import *


@kernel
def differences(a: Stream[i16], b: Stream[i16]):
    before: Stateful[i16] = -7
    for i in range(10):
        v = a.get()
        b.put(v - before)
        before = v


@kernel(mapping=[3])
def sums(x: "i16[10]", y: "i32[3]"):
    total: Stateful[i32] = 0
    w = get_wid(0)
    for i in range(10):
        total += x[i] * (w + 1)
    y[w] = total


@kernel
def top(a: Stream[i16], o: Stream[i16], y: "i32[3]"):
    x: i16[10] = 0
    s: Stream[i16]
    t: Stream[i16]
    differences(a, s)
    differences(s, t)
    for i in range(10):
        v = t.get()
        o.put(v)
        x[i] = v
    sums(x, y)
