from allo import *
import allo


@kernel
def twice(m: "i32[8]", z: "i32[8]"):
    for i in range(8):
        z[i] = m[i] + m[7 - i]


@kernel
def once(m: "i32[8]", o: Stream[i32]):
    for i in range(8):
        o.put(m[i])


@kernel(mapping=[2])
def half(m: "i32[8]", t: "i32[8]", y: "i32[8]"):
    w = allo.get_wid(0)
    for i in range(4):
        y[w * 4 + i] = m[i] + t[i] + w


@kernel
def top(m: "i32[8]", t: "i32[8]", y: "i32[8]", z: "i32[8]", u: "i32[8]", o: Stream[i32]):
    once(m, o)
    half(m, t, y)
    twice(m, z)
    twice(t, u)
