"""Matrix product of bytes on a grid of 4 x 4 workers, four elements in each word: four products a cycle and worker."""

import allo
from allo import Stream, i8, i32, kernel, u32

N = 4
K = 16
PACK = 4


@kernel(mapping=[N])
def rows(A: "i8[N, K]", right: Stream[u32, 2][N, N]):
    i = allo.get_wid(0)
    for k in range(K // PACK):
        word: u32 = 0
        for p in range(PACK):
            word[8 * p : 8 * p + 8] = A[i, PACK * k + p]
        right[i, 0].put(word)


@kernel(mapping=[N])
def columns(B: "i8[K, N]", down: Stream[u32, 2][N, N]):
    j = allo.get_wid(0)
    for k in range(K // PACK):
        word: u32 = 0
        for p in range(PACK):
            word[8 * p : 8 * p + 8] = B[PACK * k + p, j]
        down[0, j].put(word)


@kernel(mapping=[N, N])
def cell(right: Stream[u32, 2][N, N], down: Stream[u32, 2][N, N], C: "i32[N, N]"):
    i, j = allo.get_wid(0), allo.get_wid(1)
    total: i32 = 0
    for k in range(K // PACK):
        a, b = right[i, j].get(), down[i, j].get()
        for p in range(PACK):
            x: i8 = a[8 * p : 8 * p + 8]
            y: i8 = b[8 * p : 8 * p + 8]
            total += x * y
        if j < N - 1:
            right[i, j + 1].put(a)
        if i < N - 1:
            down[i + 1, j].put(b)
    C[i, j] = total


@kernel
def matmul_packed(A: "i8[N, K]", B: "i8[K, N]", C: "i32[N, N]"):
    right: Stream[u32, 2][N, N]
    down: Stream[u32, 2][N, N]
    rows(A, right)
    columns(B, down)
    cell(right, down, C)


@kernel
def plain(A: "i8[N, K]", B: "i8[K, N]", C: "i32[N, N]"):
    for i in range(N):
        for j in range(N):
            total: i32 = 0
            for k in range(K):
                total += A[i, k] * B[k, j]
            C[i, j] = total
