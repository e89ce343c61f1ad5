from allo import *

@kernel
def fill(x: "i32[16]", t: "i32[4, 16]"):
    for i in range(16):
        for k in range(4):
            t[k, i] = x[i] * (k + 1)

@kernel
def use(t: "i32[4, 16]", y: Stream[i32]):
    for i in range(16):
        sum: i32 = 0
        for k in range(4):
            sum += t[k, 15 - i] - k
        y.put(sum)

@kernel
def top(x: "i32[16]", y: Stream[i32]):
    t: i32[4, 16] = 0
    fill(x, t)
    use(t, y)
