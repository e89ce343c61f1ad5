import allo
from allo import *
@kernel(mapping=[4])
def pe(A: i32[1], C: i32[5], q: Stream[i32][5]):
    p = allo.get_wid(0)
    x: i32 = A[0]
    if p > 0:
        x = q[p].get()
    if p < 3:
        q[p + 1].put(x + 1)
    row: i32 = 0
    for r in range(4):
        if p > r:
            row = r + 1
    C[row] = x

@kernel
def top(A: i32[1], C: i32[5]):
    q: Stream[i32][5]
    pe(A, C, q)
