from allo import *

# Questions that are written, and of which the hardware has none.
@kernel
def first(s: "Stream[i16, 2]", y: "i16[6]"):
    for i in range(0):
        ok, v = s.try_get()
        y[i] = v
    for i in range(6):
        y[i] = s.get()

@kernel
def source(s: "Stream[i16, 2]", n: i16):
    for i in range(6):
        if s.full():
            s.put(n)
        else:
            s.put(i)

@kernel
def top(y: "i16[6]", n: i16):
    s: Stream[i16, 2]
    source(s, n)
    first(s, y)
