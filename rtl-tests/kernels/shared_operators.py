# Products, sums and quotients in loops that exclude one another, in one with an interval of several cycles, and between.
from allo import *


@kernel
def top(
    a: "f32[20]", b: "f32[20]", n: i32, x: "f32[20]", y: "f32[20]", z: "f32[20]"
) -> f32:
    for i in range(20):
        x[i] = a[i] * b[i]
    s: f32 = 0.0
    for i in range(20):
        y[i] = x[i] * a[i] + b[i]
        s += x[i]
    m: i32 = n & 15
    for j in range(m):
        # Each iteration needs the one before it, so the operators wait between.
        s = (s * a[j] + b[j]) * a[j] / (x[j] * b[j] + 2.0)
    t: f32 = s * a[0] / (b[0] + 3.0)
    for i in range(20):
        if i > 3:
            z[i] = y[i - 3] * t + s
        else:
            z[i] = t / (a[i] + 4.0)
    return t * s
