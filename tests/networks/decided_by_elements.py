# Whether an iteration gets an element is loaded and computed, from the counter and elements that do not change meanwhile.
from allo import *


@kernel
def select(sel: "i8[24]", kind: "u4[24]", n: u5, a: Stream[i32], b: Stream[i32], mixed: Stream[i32]):
    for i in range(n):
        if sel[i] * sel[i] > 100:
            mixed.put(a.get() + kind[i])
        elif kind[i] % 3 == 0:
            mixed.put(b.get())
        else:
            mixed.put(sel[i])


@kernel
def thin(keep: "u1[2, 12]", mixed: Stream[i32], n: u5, o: Stream[i32]):
    last: i32 = 7
    for r in range(2):
        for c in range(11, -1, -1):
            if r * 12 + 11 - c < n and (keep[r, c] or c % 5 == 0):
                last = last + mixed.get()
                o.put(last)


@kernel
def top(sel: "i8[24]", kind: "u4[24]", keep: "u1[2, 12]", n: u5, a: Stream[i32], b: Stream[i32], o: Stream[i32]):
    mixed: Stream[i32, 32]
    many: u5 = n
    if many > 24:
        many = 24
    select(sel, kind, many, a, b, mixed)
    thin(keep, mixed, many, o)
