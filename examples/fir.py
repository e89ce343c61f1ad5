"""A finite impulse response filter with eight constant taps over 64 samples.

The table of taps is never written and becomes constants or a ROM. The inner loop has a fixed
number of iterations and joins the outer one in a single pipeline.
"""

from allo import i16, i32, kernel

TAPS = 8
SAMPLES = 64


@kernel
def fir(x: "i16[SAMPLES + TAPS - 1]", y: "i32[SAMPLES]"):
    taps: "i16[TAPS]" = [3, -11, 25, 87, 87, 25, -11, 3]
    for n in range(SAMPLES):
        acc: i32 = 0
        for k in range(TAPS):
            acc += taps[k] * x[n + k]
        y[n] = acc
