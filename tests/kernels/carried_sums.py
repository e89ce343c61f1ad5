# Float sums that loops carry: alone, beside products, under conditions, from values and into values of other loops.
from allo import *


@kernel
def top(a: "f32[8]", x: f32, start: f32, h: "f16[8]", out: "f32[8]", small: "f16[1]", count: u2) -> f32:
    total: f32 = 0.0
    for i in range(8):
        total += a[i]
    out[0] = total
    horner: f32 = 0.0
    for i in range(8):
        horner = horner * x + a[i]
    out[1] = horner
    positive: f32 = start
    for i in range(8):
        if a[i] > 0.0:
            positive += a[i]
    out[2] = positive
    two: f32 = total
    for i in range(8):
        two = (two + a[i]) - x
        out[3] = two
    again: f32 = two
    for i in range(3):
        for j in range(8):
            again += a[j] * x
        out[4 + i] = again
    power: f32 = 1.0
    for i in range(8):
        power *= x
    out[7] = power
    half: f16 = 0.0
    for i in range(8):
        half = h[i] - half
    small[0] = half
    none: f32 = start
    for i in range(count):
        none += x
    return none
