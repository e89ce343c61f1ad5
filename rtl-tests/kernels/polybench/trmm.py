"""B := alpha * transposed A * B for a lower triangular A with ones on its diagonal."""

from allo.exp.lang import f32, kernel

M = 6
N = 8
alpha = 1.5


@kernel
def accumulate(A: "f32[M, M]", B: "f32[M, N]"):
    for i1 in range(M):
        for j1 in range(N):
            for k1 in range(M):
                if k1 > i1:
                    B[i1, j1] += A[k1, i1] * B[k1, j1]


@kernel
def scale(B: "f32[M, N]"):
    for i0 in range(M):
        for j0 in range(N):
            B[i0, j0] = B[i0, j0] * alpha


@kernel
def trmm(A: "f32[M, M]", B: "f32[M, N]"):
    accumulate(A, B)
    scale(B)
