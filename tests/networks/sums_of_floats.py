from allo import *

@kernel
def mac(a: Stream[f32], b: Stream[f32], o: Stream[f32]):
    for i in range(4):
        s: f32 = 0.0
        for j in range(8):
            s += a.get() * b.get()
        o.put(s)

@kernel
def feed(x: "f32[32]", a: Stream[f32]):
    for i in range(32):
        a.put(x[i])

@kernel
def top(x: "f32[32]", y: "f32[32]", z: "f32[4]"):
    a: Stream[f32]
    b: Stream[f32]
    o: Stream[f32]
    feed(x, a)
    feed(y, b)
    mac(a, b, o)
    for i in range(4):
        z[i] = o.get() + 1.0
