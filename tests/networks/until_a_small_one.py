from allo import *

@kernel
def top(a: Stream[u8], o: Stream[u8]):
    v: u8 = a.get()
    n: i32 = 0
    while v > 3 and n < 50:
        o.put(v)
        v = a.get()
        n += 1
    o.put(n)
