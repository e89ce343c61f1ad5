from allo import *


@kernel
def sums(a: Stream[i16[2, 3]], b: Stream[i32[2]]):
    for i in range(6):
        one: i16[2, 3] = a.get()
        total: i32[2] = 0
        for r in range(2):
            for c in range(3):
                total[r] += one[r, c]
        b.put(total)


@kernel
def top(x: "i16[6, 2, 3]", o: Stream[i32[2]], p: Stream[f16[3]], y: "f16[4, 3]"):
    s: Stream[i16[2, 3], 4]
    t: Stream[i32[2]] = [[7, -8]]
    for i in range(6):
        one: i16[2, 3]
        for r in range(2):
            for c in range(3):
                one[r, c] = x[i, r, c]
        s.put(one)
    sums(s, t)
    for i in range(7):
        o.put(t.get())
    for i in range(4):
        w = p.get()
        for k in range(3):
            y[i, k] = w[2 - k]
