from allo import *

@kernel
def fill(x: "f32[8]", t: "f32[8]"):
    for i in range(8):
        t[i] = x[i] * 2.0

@kernel
def use(t: "f32[8]", o: Stream[f32]):
    for i in range(8):
        o.put(t[7 - i])

@kernel
def top(x: "f32[8]", o: Stream[f32]):
    t: "f32[8]"
    fill(x, t)
    use(t, o)
