# Float sums that loops carry and add to under conditions: from constants and from what comes from outside, which may be a NaN that
# is handed back as it came; in both arms, one inside another, more than once, and under a condition of the sum itself.
from allo import *


@kernel
def top(a: "f32[8]", use: "u4[8]", start: f32, h: "f16[8]", out: "f32[9]", small: "f16[1]") -> f32:
    constant: f32 = 0.0
    for i in range(8):
        if use[i][0]:
            constant += a[i]
    out[0] = constant
    negative: f32 = -0.0
    for i in range(8):
        if use[i][1]:
            negative += a[i]
    out[1] = negative
    outside: f32 = start
    for i in range(8):
        if use[i] == 3:
            outside += a[i]
    out[2] = outside
    both: f32 = 1.5
    for i in range(8):
        if use[i][2]:
            both += a[i]
        else:
            both -= start
    out[3] = both
    inner: f32 = 0.0
    for i in range(8):
        if use[i][0]:
            if use[i][1]:
                inner = a[i] + inner
            elif use[i][2]:
                inner += start
    out[4] = inner
    twice: f32 = 0.0
    for i in range(8):
        if use[i][3]:
            twice += a[i]
            twice += start
        else:
            twice -= a[i]
    out[5] = twice
    bounded: f32 = 0.0
    for i in range(8):
        if bounded < 4.0:
            bounded += a[i]
    out[6] = bounded
    seen: f32 = 0.0
    for i in range(8):
        if use[i][1]:
            seen += a[i]
            out[8] = seen
    first: f32 = 0.0
    other: f32 = 0.0
    for i in range(8):
        if first > other:
            other += a[i]
        else:
            first += a[i]
    out[7] = first - other
    half: f16 = 0.0
    for i in range(8):
        if use[i][0]:
            half += h[i]
    small[0] = half
    chosen: f32 = 0.0
    for i in range(8):
        chosen = start if use[i] == 15 else chosen
        if use[i][0]:
            chosen += a[i]
    return chosen
