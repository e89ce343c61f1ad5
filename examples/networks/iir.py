"""A low-pass filter of fourth order, two biquads in a row (direct form I, coefficients in 14 fractional bits).

Each biquad is a process, and remembers its last samples from one invocation to the next.
"""

from allo import Stateful, Stream, apint, i16, kernel

SAMPLES = 32
i48 = apint(48, signed=True)
ONE = 1 << 14
B0, B1, B2 = 1106, 2212, 1106
A1, A2 = -18727, 6763


@kernel
def biquad(x: Stream[i16], y: Stream[i16]):
    x1: Stateful[i16] = 0
    x2: Stateful[i16] = 0
    y1: Stateful[i16] = 0
    y2: Stateful[i16] = 0
    for i in range(SAMPLES):
        x0 = x.get()
        total: i48 = B0 * x0 + B1 * x1 + B2 * x2 - A1 * y1 - A2 * y2
        y0: i16 = max(min((total + ONE // 2) >> 14, 32767), -32768)
        y.put(y0)
        x2 = x1
        x1 = x0
        y2 = y1
        y1 = y0


@kernel
def low_pass(x: Stream[i16], y: Stream[i16]):
    between: Stream[i16]
    biquad(x, between)
    biquad(between, y)


@kernel
def plain(x: Stream[i16], y: Stream[i16]):
    v: Stateful[i16[3, 3]] = 0
    for i in range(SAMPLES):
        v[0, 0] = x.get()
        for s in range(2):
            total: i48 = (
                B0 * v[s, 0] + B1 * v[s, 1] + B2 * v[s, 2] - A1 * v[s + 1, 1] - A2 * v[s + 1, 2]
            )
            v[s + 1, 0] = max(min((total + ONE // 2) >> 14, 32767), -32768)
        y.put(v[2, 0])
        for s in range(3):
            v[s, 2] = v[s, 1]
            v[s, 1] = v[s, 0]
