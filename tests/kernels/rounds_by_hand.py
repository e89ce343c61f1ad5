"""Rounds of a loop written by hand: what they read ends below the element that they write, or at it, for steps of one and of
three; and loops of what is left over, which begin behind them."""

from allo import i32, index, kernel


@kernel
def top(x: "i32[20]", y: "i32[20]", z: "i32[40]", w: "i32[40]", t: "i32[12, 12]"):
    for i in range(1, 20):
        for k in range((i - 1) // 2):
            x[i] += x[1 + 2 * k] - x[2 + 2 * k] * 3
    for i in range(1, 19):
        for k in range((i - 1) // 2):
            y[i] += y[2 + 2 * k] - y[3 + 2 * k] * 3
    for i in range(1, 39):
        for k in range(((i - 1 + 2) // 3) // 2):
            z[i] += z[1 + 6 * k] - z[4 + 6 * k] * 3
    for i in range(1, 39):
        for k in range(((i - 1 + 2) // 3) // 2):
            w[i] += w[2 + 6 * k] - w[5 + 6 * k] * 3
    for i in range(11):
        for j in range(i + 1, 12):
            n: index = j - (i + 1) if i + 1 < j else 0
            for k in range(n // 2):
                t[i, j] += t[i, i + 1 + 2 * k] - t[i + 3 + 2 * k, j]
            for k in range(i + 1 + n // 2 * 2, j):
                t[i, j] -= t[i, k] + t[k + 1, j]
