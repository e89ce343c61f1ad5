# Sums to which nothing may be added: they keep the bits that they begin with, of a NaN its sign and payload, too.
from allo import *


@kernel
def top(a: "f32[8]", n: u2, c: "u1[8]", x: "f32[8]", y: "f32[8]"):
    for i in range(8):
        s: f32 = a[i]
        for k in range(n):
            s += x[k]
        y[i] = s
    for i in range(8):
        for k in range(n):
            x[i] -= a[k] * y[k]
    t: f32 = y[3]
    for i in range(8):
        if c[i]:
            t += a[i]
        elif a[i] < 0.0:
            t = x[i]
        y[i] = t
