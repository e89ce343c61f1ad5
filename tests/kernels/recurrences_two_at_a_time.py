"""Recurrences through arrays, two elements an iteration: chains of one and of two registers, upwards and downwards, from a start
that is known when the loop begins; chains begin with what the array holds."""

from allo import i32, kernel


@kernel
def top(x: "i32[32]", a: "i32[32]", b: "i32[32]", c: "i32[36]", d: "i32[4, 32]", n: "u2"):
    for i in range(1, 31, 2):
        a[i] = a[i - 1] + x[i]
        a[i + 1] = a[i] - x[i + 1]
    for i in range(4, 30, 2):
        b[i] = b[i - 4] * 3 + x[i]
        b[i + 1] = b[i - 3] - b[i - 1] + x[i + 1]
    for i in range(27, 1, -2):
        c[i] = c[i + 4] + x[i]
        c[i + 1] = c[i + 3] - c[i + 5]
    for i in range(n + 2, 28, 2):
        d[n, i] = d[n, i - 2] + x[i]
        d[n, i + 1] = d[n, i - 1] - x[i + 1]
