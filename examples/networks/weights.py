"""Matrix product on a grid of 4 x 4 workers that each keep one weight: rows of A come in from the left, sums move down."""

import allo
from allo import Stream, f32, kernel

M = 16
K = 4
N = 4


@kernel
def rows(A: "f32[M, K]", right: Stream[f32, 2][K, N + 1]):
    for m in range(M):
        for k in range(K):
            right[k, 0].put(A[m, k])


@kernel(mapping=[K, N])
def cell(B: "f32[K, N]", right: Stream[f32, 2][K, N + 1], down: Stream[f32, 2][K + 1, N]):
    k, n = allo.get_wid(0), allo.get_wid(1)
    weight: f32 = B[k, n]
    for m in range(M):
        a = right[k, n].get()
        above: f32 = 0.0
        if k > 0:
            above = down[k, n].get()
        down[k + 1, n].put(above + a * weight)
        if n < N - 1:
            right[k, n + 1].put(a)


@kernel
def sums(down: Stream[f32, 2][K + 1, N], C: "f32[M, N]"):
    for m in range(M):
        for n in range(N):
            C[m, n] = down[K, n].get()


@kernel
def matmul_weights(A: "f32[M, K]", B: "f32[K, N]", C: "f32[M, N]"):
    right: Stream[f32, 2][K, N + 1]
    down: Stream[f32, 2][K + 1, N]
    rows(A, right)
    cell(B, right, down)
    sums(down, C)


@kernel
def plain(A: "f32[M, K]", B: "f32[K, N]", C: "f32[M, N]"):
    for m in range(M):
        for n in range(N):
            total: f32 = 0.0
            for k in range(K):
                total += A[m, k] * B[k, n]
            C[m, n] = total
