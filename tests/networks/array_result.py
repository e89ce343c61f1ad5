from allo import *


@kernel
def twice(s: Stream[i32], t: Stream[i32]):
    for i in range(9):
        t.put(2 * s.get())


@kernel
def top(x: "i32[9]") -> ("i32[9]", i32):
    y: i32[9] = 0
    s: Stream[i32]
    t: Stream[i32]
    for i in range(9):
        s.put(x[i])
    twice(s, t)
    for i in range(9):
        y[8 - i] = t.get()
    return y, y[3]
