"""Kernels of PolyBench/C as its authors write them, C updated in place; gemm as in versions 3 and 4."""

from allo import Template, f32, i32, kernel

T, P, Q, R, S, U = [Template(name) for name in ["T", "P", "Q", "R", "S", "U"]]


@kernel(P, Q, R)
def gemm(alpha: f32, beta: f32, C: "f32[P, Q]", A: "f32[P, R]", B: "f32[R, Q]"):
    for i in range(P):
        for j in range(Q):
            C[i, j] *= beta
            for k in range(R):
                C[i, j] += alpha * A[i, k] * B[k, j]


@kernel(P, Q, R)
def gemm_rows(alpha: f32, beta: f32, C: "f32[P, Q]", A: "f32[P, R]", B: "f32[R, Q]"):
    for i in range(P):
        for j in range(Q):
            C[i, j] *= beta
        for k in range(R):
            for j in range(Q):
                C[i, j] += alpha * A[i, k] * B[k, j]


@kernel(P, Q, R, S)
def mm2(alpha: f32, beta: f32, tmp: "f32[P, Q]", A: "f32[P, R]", B: "f32[R, Q]", C: "f32[Q, S]", D: "f32[P, S]"):
    for i in range(P):
        for j in range(Q):
            tmp[i, j] = 0.0
            for k in range(R):
                tmp[i, j] += alpha * A[i, k] * B[k, j]
    for i in range(P):
        for j in range(S):
            D[i, j] *= beta
            for k in range(Q):
                D[i, j] += tmp[i, k] * C[k, j]


@kernel(P, Q, R, S, U)
def mm3(
    E: "f32[P, Q]", A: "f32[P, R]", B: "f32[R, Q]", F: "f32[Q, S]", C: "f32[Q, U]", D: "f32[U, S]", G: "f32[P, S]"
):
    for i in range(P):
        for j in range(Q):
            E[i, j] = 0.0
            for k in range(R):
                E[i, j] += A[i, k] * B[k, j]
    for i in range(Q):
        for j in range(S):
            F[i, j] = 0.0
            for k in range(U):
                F[i, j] += C[i, k] * D[k, j]
    for i in range(P):
        for j in range(S):
            G[i, j] = 0.0
            for k in range(Q):
                G[i, j] += E[i, k] * F[k, j]


@kernel(P, Q)
def atax(A: "f32[P, Q]", x: "f32[Q]", y: "f32[Q]", tmp: "f32[P]"):
    for i in range(Q):
        y[i] = 0.0
    for i in range(P):
        tmp[i] = 0.0
        for j in range(Q):
            tmp[i] += A[i, j] * x[j]
        for j in range(Q):
            y[j] += A[i, j] * tmp[i]


@kernel(P, Q)
def bicg(A: "f32[Q, P]", s: "f32[P]", q: "f32[Q]", p: "f32[P]", r: "f32[Q]"):
    for i in range(P):
        s[i] = 0.0
    for i in range(Q):
        q[i] = 0.0
        for j in range(P):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]


@kernel(P)
def gesummv(alpha: f32, beta: f32, A: "f32[P, P]", B: "f32[P, P]", tmp: "f32[P]", x: "f32[P]", y: "f32[P]"):
    for i in range(P):
        tmp[i] = 0.0
        y[i] = 0.0
        for j in range(P):
            tmp[i] += A[i, j] * x[j]
            y[i] += B[i, j] * x[j]
        y[i] = alpha * tmp[i] + beta * y[i]


@kernel(P)
def mvt(x1: "f32[P]", x2: "f32[P]", y1: "f32[P]", y2: "f32[P]", A: "f32[P, P]"):
    for i in range(P):
        for j in range(P):
            x1[i] += A[i, j] * y1[j]
    for i in range(P):
        for j in range(P):
            x2[i] += A[j, i] * y2[j]


@kernel(P)
def floyd_warshall(path: "i32[P, P]"):
    for k in range(P):
        for i in range(P):
            for j in range(P):
                through: i32 = path[i, k] + path[k, j]
                path[i, j] = path[i, j] if path[i, j] < through else through
