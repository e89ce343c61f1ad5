"""Mixed signs, masks, shifts and bits of unusual widths."""

from allo import apint, i16, i64, i7, i9, kernel, u1, u5, u7, u8

i33 = apint(33)


@kernel
def top(a: i7, b: u7, c: u5, d: i33, e: i9, f: u1, out: "i64[16]"):
    out[0] = a + b
    out[1] = a - b
    out[2] = a * a
    out[3] = a * e
    out[4] = b - a
    out[5] = (d >> c) + (a >> 2)
    out[6] = b & 7
    out[7] = b | c
    g: u8 = d
    h: i16 = g
    out[8] = h
    out[9] = a * 7 - e * 15 + b * 23
    if f != 0:
        out[10] = 1
    else:
        out[10] = 2
    out[11] = d * d
    out[12] = (a < e) + (a < b)
    out[13] = (c | 64) - a
    k: u5 = d >> 11
    out[14] = k
    out[15] = a * 28
