"""Elements that only the bounds of a loop tell apart: an iteration writes below the diagonal what it reads above it, and the
diagonal is read before it is written; one load of two meets what was stored, wherever that is."""

from allo import i32, kernel


@kernel
def top(a: "i32[5, 5]", b: "i32[6, 6]", c: "i32[8, 8]", h: "u3[8]") -> i32:
    for i in range(5):
        for j in range(i):
            a[i, j] = a[j, i] + j
    s: i32 = 0
    for i in range(6):
        for j in range(i + 1):
            s += b[i, j] * b[j, i]
            b[i, j] = s
    for i in range(1, 5):
        for j in range(i, 5):
            a[j, i - 1] = a[i, j] - a[j, i]
    for i in range(8):
        for j in range(i):
            c[i, j] = c[j, i] + c[i, h[j]] * 3
    return s
