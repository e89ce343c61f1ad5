"""Cholesky decomposition in place: the lower triangle L with L * transposed L = A."""

import allo
from allo import f32, kernel

N = 8


@kernel
def cholesky(A: "f32[N, N]"):
    for i in range(N):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = allo.math.sqrt(A[i, i])
