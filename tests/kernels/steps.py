"""Dependences over loops with a step, with subscripts that go back and over the ends of rows."""

from allo import i32, kernel


@kernel
def top(a: "i32[32]", b: "i32[24]", c: "i32[6, 5]", d: "i32[32]"):
    for i in range(0, 24, 2):
        a[i + 4] = a[i] + 1
    for i in range(3, 24):
        b[i] = b[i - 1] + b[i - 3]
    for i in range(4):
        for j in range(5):
            c[i + 1, j] = c[i, j] + c[i, 4 - j]
    # Only some iterations store, so that the elements stay in memory.
    for i in range(0, 28, 2):
        if a[i] > b[5]:
            d[i + 4] = d[i] * a[i + 1] * d[i + 1] + 1
