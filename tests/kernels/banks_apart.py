"""Banks along two dimensions and of three, groups of loads that take turns in the text, subscripts that run against each other."""

from allo import i32, kernel


@kernel
def top(x: "i32[38]", z: "i32[9, 12]", y: "i32[8]", o: "i32[6, 7]"):
    a: "i32[38]" = x
    for i in range(8):
        y[i] = a[3 * i + 1] + a[3 * i + 5] + a[3 * i + 7] + a[3 * i + 9]
    b: "i32[9, 12]" = z
    for i in range(6):
        for j in range(7):
            o[i, j] = b[i + 1, j + 2] + b[i + 2, j] + b[i + 2, j + 1] + b[i + 3, j + 3]
    c: "i32[9, 12]" = z
    for i in range(8):
        for j in range(4):
            y[i] += c[i, 3 * j] * c[8 - i, 3 * j] + c[i, 3 * j + 1] * c[8 - i, 3 * j + 1] + c[i, 3 * j + 2] * c[8 - i, 3 * j + 2]
