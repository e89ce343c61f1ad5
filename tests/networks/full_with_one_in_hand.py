# A queue is full, and its consumer has one element more in hand: the producer's last block begins all the same, since it puts
# into another stream first, for which the consumer waits. The loop before it puts in every second cycle only, so that little
# is ever on its way.
from allo import *


@kernel
def give(x: "i32[8]", s: Stream[i32], t: Stream[i32], z: "i32[2]"):
    for i in range(2):
        s.put(i)
        z[i] = x[i] + x[i + 2] + x[i + 4]
    t.put(7)
    s.put(9)
    for i in range(2):
        t.put(i)


@kernel
def take(s: Stream[i32], t: Stream[i32], y: "i32[3]"):
    for i in range(3):
        y[i] = s.get() - t.get()


@kernel
def top(x: "i32[8]", y: "i32[3]", z: "i32[2]"):
    s: Stream[i32, 1]
    t: Stream[i32]
    give(x, s, t, z)
    take(s, t, y)
