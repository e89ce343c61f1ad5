import allo
from allo import *

# A variable that is computed from the number of a worker tells streams apart like that number.
@kernel(mapping=[2])
def worker(f: Stream[i32][5]):
    w = allo.get_wid(0)
    first = w * 2
    second: i16 = first * 3 - 2 * first + 1
    f[first].put(w)
    f[second].put(w - 1)

@kernel
def sink(f: Stream[i32][5], y: "i32[4]"):
    for i in range(4):
        y[i] = f[i].get()

@kernel
def top(y: "i32[4]"):
    f: Stream[i32][5]
    worker(f)
    sink(f, y)
