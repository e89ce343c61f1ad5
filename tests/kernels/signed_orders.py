"""Comparisons of signed numbers: of one bit, of as many bits, of fewer beside more, and of what a recurrence carries."""

from allo import apint, i16, i32, kernel

i1, i2, i33, i40 = (apint(width, signed=True) for width in (1, 2, 33, 40))


@kernel
def top(a: i1, b: i1, c: i2, d: i2, e: i40, f: i33, x: "i16[8]", out: "i64[8]"):
    out[0] = 1 if a < b else 0
    out[1] = 1 if c < d else 0
    out[2] = 1 if e <= f else 0
    out[3] = 1 if a >= d else 0
    out[4] = max(c, d)
    out[5] = min(e, f)
    least: i16 = x[0]
    most: i32 = x[0]
    for i in range(1, 8):
        least = min(least, x[i])
        most = max(most, x[i] * 3)
    out[6] = least
    out[7] = most
