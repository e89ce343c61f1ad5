"""(A * B) * (C * D) on the operators for whole matrices."""

import allo
from allo import f32, kernel

P, Q, R, S, T = 5, 6, 7, 8, 4


@kernel
def kernel_3mm(A: "f32[P, Q]", B: "f32[Q, R]", C: "f32[R, S]", D: "f32[S, T]") -> "f32[P, T]":
    E: "f32[P, R]" = 0.0
    F: "f32[R, T]" = 0.0
    G: "f32[P, T]" = 0.0
    allo.linalg.matmul(A, B, acc=E)
    allo.linalg.matmul(C, D, acc=F)
    allo.linalg.matmul(E, F, acc=G)
    return G
