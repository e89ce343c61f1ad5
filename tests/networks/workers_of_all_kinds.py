# One worker fills an array, one changes elements where the data say, one reads it, one copies another into it.
import allo
from allo import *


@kernel(mapping=[4])
def works(at: "u3[4]", x: "i32[8]", y: "i32[8]", seen: "i32[8]", s: Stream[i32]):
    w = allo.get_wid(0)
    if w == 0:
        if at[0] > 3:
            y = 7
        s.put(1)
    elif w == 1:
        for i in range(4):
            y[at[i]] = y[at[3 - i]] + x[i]
        s.get()
    elif w == 2:
        for i in range(8):
            seen[i] = y[i]
    else:
        if at[1] == 2:
            y = x


@kernel
def top(at: "u3[4]", x: "i32[8]", y: "i32[8]", seen: "i32[8]"):
    s: Stream[i32]
    works(at, x, y, seen, s)
