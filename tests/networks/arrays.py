from allo import *

@kernel
def stage(a: Stream[i32], b: Stream[i32], k: i32):
    for i in range(10):
        b.put(a.get() * k + 1)

@kernel
def top(x: "i32[10]", y: "i32[10]", k: i32):
    f: Stream[i32][3, 2]
    for i in range(10):
        f[0, 0].put(x[i])
        f[0, 1].put(x[9 - i])
    stage(f[0, 0], f[1, 0], k)
    stage(f[0, 1], f[1, 1], k + 1)
    stage(f[1, 0], f[2, 0], 2)
    stage(f[1, 1], f[2, 1], 3)
    for i in range(10):
        y[i] = f[2, i & 1].get()
    for i in range(10):
        y[i] += f[2, 1 - (i & 1)].get()
