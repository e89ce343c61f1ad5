"""Elements that one iteration loads or stores and later ones load, upwards, downwards, in rows, and guarded."""

from allo import f32, i16, i32, index, kernel, u8


@kernel
def top(n: u8, a: "i16[40]", b: "i32[40]", image: "f32[6, 7]", blurred: "f32[6, 7]", best: "i32[6, 7]"):
    for i in range(2, 38):
        b[i] = a[i - 2] - 2 * a[i - 1] + 3 * a[i] - 4 * a[i + 1] + 5 * a[i + 2]
    for i in range(36, 3, -3):
        b[i] += b[i + 3] - a[i - 3] * a[i + 3] + a[i]
    for i in range(1, 5):
        for j in range(1, 6):
            blurred[i, j] = image[i, j - 1] + image[i, j] + image[i, j + 1] + image[i - 1, j]
    for i in range(1, 6):
        for j in range(1, 7):
            best[i, j] = max(best[i - 1, j], best[i, j - 1]) - best[i - 1, j - 1] + a[i * j]
    last: index = n % 40
    for i in range(1, last):
        a[i] = a[i - 1] + a[i] - a[i + 1]
        if a[i] > 0:
            b[i] = b[i] - a[i]
