import allo
from allo import *

@kernel(mapping=[4])
def pe(f: u1, C: i32[3, 1], q: Stream[i32][5]):
    p = allo.get_wid(0)
    x: i32 = 1
    if p > 0:
        x = q[p].get()
    if p < 3:
        q[p + 1].put(x + 1)
    if p == 3:
        for t in range(3):
            if f == 0:
                C[t, 0] = 10 * t + x
    else:
        if f != 0:
            C[p, 0] = x

@kernel
def top(f: u1, C: i32[3, 1]):
    q: Stream[i32][5]
    pe(f, C, q)
