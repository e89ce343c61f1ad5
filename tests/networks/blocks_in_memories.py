from allo import *

# More elements than registers are made for.
@kernel
def make(x: "i16[192]", s: "Stream[i16[96], 3]"):
    for i in range(2):
        b: i16[96] = 0
        for j in range(96):
            b[j] = x[96 * i + j]
        s.put(b)

@kernel
def take(s: "Stream[i16[96], 3]", y: "i32[192]"):
    for i in range(2):
        b: i16[96] = s.get()
        for j in range(96):
            y[96 * i + j] = b[95 - j] * (j - 40)

@kernel
def top(x: "i16[192]", y: "i32[192]"):
    s: Stream[i16[96], 3]
    make(x, s)
    take(s, y)
