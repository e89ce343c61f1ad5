"""The symmetric update of rank k: C := alpha * A * transposed A + beta * C."""

import allo
from allo import f32, kernel

M = 6
N = 8
alpha = 1.5
beta = 1.2


@kernel
def syrk(A: "f32[N, M]", C: "f32[N, N]"):
    for i, j in allo.grid(N, N):
        if j <= i:
            C[i, j] *= beta
            for k in range(M):
                C[i, j] += alpha * A[i, k] * A[j, k]
