from allo import *

# Puts and gets that are written, and never carried out: the streams keep their directions, and their consumers.
@kernel
def never(x: Stream[i16], y: Stream[i16], s: "Stream[i16, 2]", t: "Stream[i16, 3]", w: Stream[i16]):
    for i in range(0):
        y.put(x.get())
        s.put(i)
        y.put(t.get())
        y.put(w.get())
    if 1 > 2:
        y.put(x.get())

@kernel
def always(s: "Stream[i16, 2]", t: "Stream[i16, 3]", w: Stream[i16], z: Stream[i16]):
    for i in range(0):
        z.put(s.get())
    for i in range(3):
        z.put(t.get() + i)
    z.put(w.get())

@kernel
def three(t: "Stream[i16, 3]"):
    for i in range(3):
        t.put(i * i)

@kernel
def top(x: Stream[i16], y: Stream[i16], z: Stream[i16], w: Stream[i16]):
    s: Stream[i16, 2]
    t: Stream[i16, 3]
    three(t)
    never(x, y, s, t, w)
    always(s, t, w, z)
