"""Matrix product of 32 x 32 on a grid of 8 x 8 workers, tile by tile: each worker makes one element of each of 16 tiles."""

import allo
from allo import Stream, i32, kernel

P = 8
N = 32
T = N // P


@kernel(mapping=[P])
def rows(A: "i32[N, N]", right: Stream[i32, 2][P, P]):
    i = allo.get_wid(0)
    for ti in range(T):
        for tj in range(T):
            for k in range(N):
                right[i, 0].put(A[ti * P + i, k])


@kernel(mapping=[P])
def columns(B: "i32[N, N]", down: Stream[i32, 2][P, P]):
    j = allo.get_wid(0)
    for ti in range(T):
        for tj in range(T):
            for k in range(N):
                down[0, j].put(B[k, tj * P + j])


@kernel(mapping=[P, P])
def cell(right: Stream[i32, 2][P, P], down: Stream[i32, 2][P, P], C: "i32[N, N]"):
    i, j = allo.get_wid(0), allo.get_wid(1)
    for ti in range(T):
        for tj in range(T):
            total: i32 = 0
            for k in range(N):
                a, b = right[i, j].get(), down[i, j].get()
                total += a * b
                if j < P - 1:
                    right[i, j + 1].put(a)
                if i < P - 1:
                    down[i + 1, j].put(b)
            C[ti * P + i, tj * P + j] = total


@kernel
def matmul_tiled(A: "i32[N, N]", B: "i32[N, N]", C: "i32[N, N]"):
    right: Stream[i32, 2][P, P]
    down: Stream[i32, 2][P, P]
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
