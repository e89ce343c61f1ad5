# Streams alone: processes of different lengths, a fan-out, and state that is carried on.
from allo import *


@kernel
def feed(x: "u8[20]", s: "Stream[u8]", n: u8):
    for i in range(20):
        s.put(x[i] + n)


@kernel
def pairs(s: "Stream[u8]", t: "Stream[u16]"):
    for i in range(10):
        a: u16 = s.get()
        b: u16 = s.get()
        t.put(a * b)


@kernel
def total(s: "Stream[u8]", y: "u32[1]"):
    all: Stateful[u32] = 7
    for i in range(20):
        all = all + s.get()
    y[0] = all


@kernel
def slow(t: "Stream[u16]", z: "u16[10]", n: u8):
    for i in range(10):
        v: u16 = t.get()
        for j in range(4):
            v = (v >> 1) ^ (n * 3)
        z[i] = v


@kernel
def top(x: "u8[20]", y: "u32[1]", z: "u16[10]", n: u8):
    s: Stream[u8, 4]
    t: Stream[u16]
    feed(x, s, n)
    pairs(s, t)
    total(s, y)
    slow(t, z, n)
