# Queues that become full and are emptied again: 16 elements, for which there is a register before lookup tables; 24, in tables
# alone; 40 wide ones, in block memory behind tables. The one who gets waits until all that has room is there.
from allo import *

N: constexpr = 96


@kernel
def give(x: "i32[N]", s: Stream[i32]):
    for i in range(N):
        s.put(x[i])


@kernel
def give_wide(x: "i64[N]", s: Stream[i64]):
    for i in range(N):
        s.put(x[i])


@kernel
def late(x: "i32[N]", s: Stream[i32]):
    total: i32 = 0
    for i in range(N):
        total += x[i]
    s.put(total)


@kernel
def take(a: Stream[i32], b: Stream[i32], c: Stream[i64], s: Stream[i32], y: "i64[N]"):
    total: i32 = s.get()
    for i in range(N):
        y[i] = a.get() * 3 - b.get() + c.get() * 5 + total


@kernel
def top(x: "i32[N]", v: "i32[N]", w: "i64[N]", z: "i32[N]", y: "i64[N]"):
    a: Stream[i32, 16]
    b: Stream[i32, 24]
    c: Stream[i64, 40]
    s: Stream[i32]
    give(x, a)
    give(v, b)
    give_wide(w, c)
    late(z, s)
    take(a, b, c, s, y)
