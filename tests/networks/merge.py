from allo import *

@kernel
def top(a: Stream[i32], b: Stream[i32], o: Stream[i32, 3]):
    x: i32 = a.get()
    y: i32 = b.get()
    for i in range(12):
        if x <= y:
            o.put(x)
            x = a.get()
        else:
            o.put(y)
            y = b.get()
