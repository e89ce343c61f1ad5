from allo import *

@kernel
def top(a: Stream[i32], b: Stream[i32], o: Stream[i32]):
    for i in range(20):
        v = a.get()
        if v > 2:
            w = b.get()
            o.put(v + w)
        else:
            o.put(v)
