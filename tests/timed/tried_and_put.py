from allo import *

# Each iteration tries to put, and then puts into the same queue whatever came of it; who gets is slow.
@kernel
def source(x: "i16[40]", s: "Stream[i16, 2]") -> i32:
    full: i32 = 0
    for i in range(40):
        done: u1 = s.try_put(x[i])
        if not done:
            full += 1
        s.put(x[i] + 1)
    s.put(32767)
    return full

@kernel
def sink(s: "Stream[i16, 2]", y: "i16[81]"):
    v: i16 = 0
    i: i32 = 0
    while v != 32767:
        v = s.get()
        for k in range(3):
            y[i] = y[i] ^ v
        i += 1

@kernel
def top(x: "i16[40]", y: "i16[81]") -> i32:
    s: Stream[i16, 2]
    full = source(x, s)
    sink(s, y)
    return full
