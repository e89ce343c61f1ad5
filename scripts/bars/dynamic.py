"""Kernels that Dynamatic's authors publish for circuits scheduled while they run, of 20 to 1,000 iterations."""

from allo import f32, kernel

N, M, TERMS = 20, 30, 1000


@kernel
def gemm(alpha: f32, beta: f32, A: "f32[N, N]", B: "f32[N, N]", C: "f32[N, N]"):
    for i in range(N):
        for j in range(N):
            total: f32 = C[i, j] * beta
            for k in range(N):
                total += alpha * A[i, k] * B[k, j]
            C[i, j] = total


@kernel
def mvt(A: "f32[M, M]", x1: "f32[M]", x2: "f32[M]", y1: "f32[M]", y2: "f32[M]"):
    for i in range(M):
        total: f32 = x1[i]
        for j in range(M):
            total += A[i, j] * y1[j]
        x1[i] = total
    for i in range(M):
        total: f32 = x2[i]
        for j in range(M):
            total += A[j, i] * y2[j]
        x2[i] = total


@kernel
def matvec(A: "f32[M, M]", v: "f32[M]", out: "f32[M]"):
    for i in range(M):
        total: f32 = 0.0
        for j in range(M):
            total += v[j] * A[i, j]
        out[i] = total


@kernel
def bicg(A: "f32[M, M]", s: "f32[M]", q: "f32[M]", p: "f32[M]", r: "f32[M]"):
    for i in range(M):
        total: f32 = 0.0
        for j in range(M):
            s[j] += r[i] * A[i, j]
            total += A[i, j] * p[j]
        q[i] = total


@kernel
def conditional_sum(a: "f32[TERMS]", b: "f32[TERMS]") -> f32:
    total: f32 = 0.0
    for i in range(TERMS):
        difference: f32 = a[i] - b[i]
        if difference >= 0.0:
            total += difference
    return total
