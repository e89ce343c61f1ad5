from allo import *

# Takes from whichever of three has something, in turns; floats, and elements of blocks.
@kernel
def feed(x: "f32[12]", s: "Stream[f32, 2][3]", t: "Stream[i8[2], 2]"):
    for i in range(12):
        s[i % 3].put(x[i])
    for i in range(4):
        b: i8[2] = 0
        b[0] = i
        b[1] = 10 - i
        t.put(b)

@kernel
def turns(s: "Stream[f32, 2][3]", t: "Stream[i8[2], 2]", y: "f32[12]", z: "i8[8]") -> i32:
    n: i32 = 0
    at: u2 = 2
    vain: i32 = 0
    while n < 12:
        ok, v = s[at].try_get()
        if ok:
            y[n] = v * 0.5
            n += 1
        else:
            vain += 1
        at = 0 if at == 2 else at + 1
    m: i32 = 0
    while m < 4:
        some, b = t.try_get()
        if some:
            z[2 * m] = b[0]
            z[2 * m + 1] = b[1]
            m += 1
    return vain

@kernel
def top(x: "f32[12]", y: "f32[12]", z: "i8[8]") -> i32:
    s: Stream[f32, 2][3]
    t: Stream[i8[2], 2]
    feed(x, s, t)
    return turns(s, t, y, z)
