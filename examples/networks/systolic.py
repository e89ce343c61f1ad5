"""Matrix product on a grid of 8 x 8 workers that each keep one sum: rows of A move right, columns of B move down.

Each edge of the grid has a process of its own, so that all of them hand on an element a cycle.
"""

import allo
from allo import Stream, i32, kernel

N = 8


@kernel(mapping=[N])
def rows(A: "i32[N, N]", right: Stream[i32, 2][N, N]):
    i = allo.get_wid(0)
    for k in range(N):
        right[i, 0].put(A[i, k])


@kernel(mapping=[N])
def columns(B: "i32[N, N]", down: Stream[i32, 2][N, N]):
    j = allo.get_wid(0)
    for k in range(N):
        down[0, j].put(B[k, j])


@kernel(mapping=[N, N])
def cell(right: Stream[i32, 2][N, N], down: Stream[i32, 2][N, N], C: "i32[N, N]"):
    i, j = allo.get_wid(0), allo.get_wid(1)
    total: i32 = 0
    for k in range(N):
        a, b = right[i, j].get(), down[i, j].get()
        total += a * b
        if j < N - 1:
            right[i, j + 1].put(a)
        if i < N - 1:
            down[i + 1, j].put(b)
    C[i, j] = total


@kernel
def matmul_8x8(A: "i32[N, N]", B: "i32[N, N]", C: "i32[N, N]"):
    right: Stream[i32, 2][N, N]
    down: Stream[i32, 2][N, N]
    rows(A, right)
    columns(B, down)
    cell(right, down, C)


@kernel
def plain(A: "i32[N, N]", B: "i32[N, N]", C: "i32[N, N]"):
    for i in range(N):
        for j in range(N):
            total: i32 = 0
            for k in range(N):
                total += A[i, k] * B[k, j]
            C[i, j] = total
