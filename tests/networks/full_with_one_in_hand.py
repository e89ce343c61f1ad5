# When the queue is full and its consumer has one element more in hand, the producer's next block still begins: it puts into
# another stream first, for which the consumer waits.
from allo import *


@kernel
def give(x: "i32[16]", s: Stream[i32], t: Stream[i32]):
    for i in range(16):
        s.put(x[i])
    t.put(7)
    s.put(9)


@kernel
def take(s: Stream[i32], t: Stream[i32], y: "i32[17]"):
    a: i32 = s.get()
    b: i32 = t.get()
    y[0] = a + b
    for i in range(16):
        y[i + 1] = s.get()


@kernel
def top(x: "i32[16]", y: "i32[17]"):
    s: Stream[i32, 15]
    t: Stream[i32]
    give(x, s, t)
    take(s, t, y)
