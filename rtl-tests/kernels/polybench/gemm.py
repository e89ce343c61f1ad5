"""C := alpha * A * B + beta * C."""

import allo
from allo import Template, kernel

T = Template("T")
P = Template("P")
Q = Template("Q")
R = Template("R")


@kernel(T, P, Q, R)
def mm1(A: "T[P, Q]", B: "T[Q, R]", out_AB: "T[P, R]"):
    for i0, j0 in allo.grid(P, R):
        for k0 in range(Q):
            out_AB[i0, j0] += A[i0, k0] * B[k0, j0]


@kernel(T, P, R)
def ele_add(out_AB: "T[P, R]", C: "T[P, R]", alpha: T, beta: T):
    for i1, j1 in allo.grid(P, R):
        C[i1, j1] = beta * C[i1, j1] + alpha * out_AB[i1, j1]


@kernel(T, P, Q, R)
def gemm(alpha: T, beta: T, A: "T[P, Q]", B: "T[Q, R]", C: "T[P, R]"):
    out_AB: "T[P, R]" = 0
    mm1[T, P, Q, R](A, B, out_AB)
    ele_add[T, P, R](out_AB, C, alpha, beta)


gemm_f32 = gemm[allo.f32, 8, 10, 6]
gemm_i32 = gemm[allo.i32, 8, 10, 6]
