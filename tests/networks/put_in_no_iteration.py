from allo import *

# Puts and gets that are written, and never carried out: the streams keep their directions.
@kernel
def never(x: Stream[i16], y: Stream[i16], s: "Stream[i16, 2]"):
    for i in range(0):
        y.put(x.get())
        s.put(i)
    if 1 > 2:
        y.put(x.get())

@kernel
def always(s: "Stream[i16, 2]", z: Stream[i16]):
    for i in range(0):
        z.put(s.get())
    for i in range(3):
        z.put(i)

@kernel
def top(x: Stream[i16], y: Stream[i16], z: Stream[i16]):
    s: Stream[i16, 2]
    never(x, y, s)
    always(s, z)
