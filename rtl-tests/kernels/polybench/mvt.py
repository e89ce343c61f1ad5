"""Two products of a matrix, one of them transposed, with vectors."""

import allo
from allo import i32, kernel, f32

N = 10


@kernel
def first(A: "f32[N, N]", y1: "f32[N]", x1: "f32[N]"):
    for i0 in range(N):
        for j0 in range(N):
            x1[i0] += A[i0, j0] * y1[j0]


@kernel
def second(A: "f32[N, N]", y2: "f32[N]", x2: "f32[N]"):
    for i1 in range(N):
        for j1 in range(N):
            x2[i1] += A[j1, i1] * y2[j1]


@kernel
def mvt(A: "f32[N, N]", y1: "f32[N]", y2: "f32[N]", x1: "f32[N]", x2: "f32[N]"):
    first(A, y1, x1)
    second(A, y2, x2)
