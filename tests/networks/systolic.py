import allo
from allo import *

N = 4
K = 4

@kernel
def feed_rows(A: "i32[4, 4]", right: Stream[i32][4, 5]):
    for k in range(K):
        for i in range(N):
            right[i, 0].put(A[i, k])

@kernel
def feed_columns(B: "i32[4, 4]", down: Stream[i32][5, 4]):
    for k in range(K):
        for j in range(N):
            down[0, j].put(B[k, j])

@kernel(mapping=[4, 4])
def pe(right: Stream[i32][4, 5], down: Stream[i32][5, 4], C: "i32[4, 4]"):
    i, j = allo.get_wid(0), allo.get_wid(1)
    s: i32 = 0
    for k in range(K):
        a = right[i, j].get()
        b = down[i, j].get()
        s += a * b
        if j < N - 1:
            right[i, j + 1].put(a)
        if i < N - 1:
            down[i + 1, j].put(b)
    C[i, j] = s

@kernel
def top(A: "i32[4, 4]", B: "i32[4, 4]", C: "i32[4, 4]"):
    right: Stream[i32][4, 5]
    down: Stream[i32][5, 4]
    feed_rows(A, right)
    feed_columns(B, down)
    pe(right, down, C)
