# Scalars go from process to process and are given back, one of them a stage early.
from allo import *


@kernel
def most(x: "i16[12]") -> i16:
    m: i16 = x[0]
    for i in range(12):
        m = x[i] if x[i] > m else m
    return m


@kernel
def apart(m: i16, n: i16) -> (i16, i16):
    return m // 3, m - n


@kernel
def scale(q: i16, r: i16, y: "i16[12]") -> i16:
    last: i16 = 0
    for i in range(12):
        last = last * q + r
        y[i] = last
    return last


@kernel
def top(x: "i16[12]", y: "i16[12]", n: i16) -> (i16, i16):
    s: Stream[i16]
    m = most(x)
    q, r = apart(m, n)
    z = scale(q, r, y)
    return m, z
