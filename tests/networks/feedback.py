from allo import *

@kernel
def a(loop: Stream[i32], back: Stream[i32], x: "i32[16]", y: "i32[16]"):
    for i in range(16):
        v = loop.get()
        y[i] = v
        back.put(v * 3 + x[i])

@kernel
def b(loop: Stream[i32], back: Stream[i32]):
    for i in range(16):
        loop.put(back.get() + 1)

@kernel
def top(x: "i32[16]", y: "i32[16]"):
    loop: Stream[i32] = [1, 2, 3]
    back: Stream[i32]
    a(loop, back, x, y)
    b(loop, back)
