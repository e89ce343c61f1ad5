# What `turns` gets leads from nothing that it puts; but who puts it is held up by `ends`, which waits for what `turns` puts.
from allo import *


@kernel
def begins(x: "i32[6]", s: "Stream[i32]"):
    for i in range(6):
        s.put(x[i])


@kernel
def turns(s: "Stream[i32]", t: "Stream[i32]", z: "i32[2]"):
    for i in range(2):
        t.put(i)
        a: i32 = s.get()
        b: i32 = s.get()
        z[i] = a - b + s.get()


@kernel
def ends(s: "Stream[i32]", t: "Stream[i32]", y: "i32[8]"):
    for i in range(2):
        y[i] = t.get()
    for i in range(6):
        y[2 + i] = s.get()


@kernel
def top(x: "i32[6]", y: "i32[8]", z: "i32[2]"):
    s: Stream[i32, 3]
    t: Stream[i32]
    begins(x, s)
    turns(s, t, z)
    ends(s, t, y)
