# A queue is full, and its consumer has one element more in hand: the producer's last block begins all the same, since it puts
# into another stream first, for which the consumer waits. A queue of 16 elements would be given no more room than it needs.
from allo import *


@kernel
def give(x: "i32[24]", s: Stream[i32], t: Stream[i32], z: "i32[17]"):
    for i in range(17):
        s.put(i)
        z[i] = x[i] + x[i + 2] + x[i + 4]
    t.put(7)
    s.put(9)
    for i in range(17):
        t.put(i)


@kernel
def take(s: Stream[i32], t: Stream[i32], y: "i32[18]"):
    for i in range(18):
        y[i] = s.get() - t.get()


@kernel
def top(x: "i32[24]", y: "i32[18]", z: "i32[17]"):
    s: Stream[i32, 16]
    t: Stream[i32]
    give(x, s, t, z)
    take(s, t, y)
