"""C := alpha * A * B + beta * C for a symmetric A, of which the lower triangle is stored."""

from allo import f32, kernel

M = 7
N = 8
alpha = 1.5
beta = 1.2


@kernel
def symm(A: "f32[M, M]", B: "f32[M, N]", C: "f32[M, N]"):
    for i in range(M):
        for j in range(N):
            summ: f32 = 0.0
            for k in range(i):
                C[k, j] += alpha * B[i, j] * A[i, k]
                summ += B[k, j] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * B[i, j] * A[i, i] + alpha * summ
