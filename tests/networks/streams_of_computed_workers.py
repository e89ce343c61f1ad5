import allo
from allo import *

# A variable that is computed from the number of a worker tells streams apart like that number, cut to its type.
@kernel(mapping=[2])
def worker(f: Stream[i32][5], g: Stream[i32][2]):
    w = allo.get_wid(0)
    first = w * 2
    second: i16 = first * 3 - 2 * first + 1
    more: u2 = w + 2
    cut: u1 = more * 3
    f[first].put(w)
    f[second].put(w - 1)
    g[cut].put(w + 5)

@kernel
def sink(f: Stream[i32][5], g: Stream[i32][2], y: "i32[6]"):
    for i in range(4):
        y[i] = f[i].get()
    for i in range(2):
        y[i + 4] = g[i].get()

@kernel
def top(y: "i32[6]"):
    f: Stream[i32][5]
    g: Stream[i32][2]
    worker(f, g)
    sink(f, g, y)
