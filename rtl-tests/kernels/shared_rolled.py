# Two loops with long intervals share one divider that is rolled: it begins when either asks.
from allo import *


@kernel
def top(x: "u32[3]", y: "u32[3]", s: u32) -> u32:
    t: u32 = s
    for i in range(3):
        y[i] = t / x[i]
        t = (((t * t + s) * t + s) * t + s) * t + s
        t = (((t * t + s) * t + s) * t + s) * t + s
        t = (((t * t + s) * t + s) * t + s) * t + s
    for j in range(3):
        x[j] = t / y[j]
        t = (((t * s + t) * t + s) * t + t) * t + s
        t = (((t * s + t) * t + s) * t + t) * t + s
        t = (((t * s + t) * t + s) * t + t) * t + s
    return t
