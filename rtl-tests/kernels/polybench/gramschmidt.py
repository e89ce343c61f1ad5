"""QR decomposition by the modified Gram-Schmidt process."""

from allo import f32, kernel
from allo.operators import math

M = 7
N = 5


@kernel
def gramschmidt(A: "f32[M, N]", Q: "f32[M, N]", R: "f32[N, N]"):
    for k in range(N):
        nrm: f32 = 0.0
        for i in range(M):
            nrm += A[i, k] * A[i, k]
        R[k, k] = math.sqrt(nrm)
        for i in range(M):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, N):
            R[k, j] = 0.0
            for i in range(M):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(M):
                A[i, j] -= Q[i, k] * R[k, j]
