from allo import *


@kernel
def top(a: Stream[u8], o: Stream[i32]):
    v: u8 = 9
    n: i32 = 0
    total: i32 = 0
    while v > 2 and n < 40:
        v = a.get()
        total += v
        n += 1
    o.put(n)
    o.put(total)
