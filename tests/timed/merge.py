from allo import *

# What comes first from either side, and how often neither has something.
@kernel
def double(a: "Stream[i32]", x: "Stream[i32, 4]"):
    for i in range(8):
        x.put(a.get() * 2)

@kernel
def merge(x: "Stream[i32, 4]", b: "Stream[i32]", o: "Stream[i32]") -> i32:
    n: i32 = 0
    idle: i32 = 0
    while n < 16:
        ok, v = x.try_get()
        if ok:
            o.put(v)
            n += 1
        else:
            some, w = b.try_get()
            if some:
                o.put(w + 100)
                n += 1
            else:
                idle += 1
    return idle

@kernel
def top(a: "Stream[i32]", b: "Stream[i32]", o: "Stream[i32]") -> i32:
    x: Stream[i32, 4]
    double(a, x)
    return merge(x, b, o)
