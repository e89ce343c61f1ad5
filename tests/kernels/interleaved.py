"""Sums that do not depend on one another: of rows, in strips, with code around them, downwards, of several values."""

from allo import f32, i32, kernel


@kernel
def top(a: "f32[8, 5]", x: "f32[5]", c: "f32[3, 8]", y: "f32[70]", n: "i32[10]"):
    for i in range(3):
        for j in range(8):
            c[i, j] *= 1.5
            for k in range(5):
                c[i, j] += a[j, k] * x[k]
    for i in range(69, -1, -1):
        low: f32 = 0.0
        high: f32 = 1.0
        for k in range(5):
            high = high + low * x[k]
            low = low - high
        if high > 0.0:
            y[i] = high + low
    for i in range(2, 9):
        total: i32 = n[i]
        for k in range(1, 6, 2):
            total = total * n[i + 1] + k
        n[i] = total
