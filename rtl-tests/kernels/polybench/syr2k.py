"""The symmetric update of rank 2k: C := alpha * (A * transposed B + B * transposed A) + beta * C."""

from allo import f32, kernel

M = 6
N = 8


@kernel
def syr2k(alpha: f32, beta: f32, A: "f32[N, M]", B: "f32[N, M]", C: "f32[N, N]"):
    for i in range(N):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(M):
            for j in range(i + 1):
                C[i, j] += A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k]
