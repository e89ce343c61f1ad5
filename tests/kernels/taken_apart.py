"""Counters that are taken apart: by powers of two and other numbers, several times, beside the counter itself, around loops."""

from allo import i32, kernel


@kernel
def top(x: "i32[4, 6, 5]", y: "i32[24]", z: "i16[4, 8]", n: "u3") -> i32:
    s: i32 = 0
    for t in range(120):
        s += x[t // 30, t // 5 % 6, t % 5]
    for t in range(24):
        y[t] += x[t >> 3, t & 3, 1] + t
    for t in range(n * 6):
        if t % 6 < 5:
            y[t // 6 % 24] += x[1, t % 6, t // 6 % 5]
    for t in range(12):
        for k in range(5):
            x[t // 3, t % 3, k] = x[t // 3, t % 3 + 3, k] + y[k]
    for t in range(32):
        z[t >> 3, t & 7] += z[3 - (t >> 3), t & 7] + t
    for t in range(32):
        z[t % 4, t // 4] = z[t & 3, t >> 2] * 3
    return s
