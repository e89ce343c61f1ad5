"""Jacobi's iteration on a plane."""

from allo.lang import f32, grid, kernel

N = 8
TSTEPS = 2


@kernel
def jacobi_2d(A: "f32[N, N]", B: "f32[N, N]"):
    for m in range(TSTEPS):
        for i0, j0 in grid((1, N - 1), (1, N - 1)):
            B[i0, j0] = 0.2 * (A[i0, j0] + A[i0, j0 - 1] + A[i0, 1 + j0] + A[1 + i0, j0] + A[i0 - 1, j0])
        for i1, j1 in grid((1, N - 1), (1, N - 1)):
            A[i1, j1] = 0.2 * (B[i1, j1] + B[i1, j1 - 1] + B[i1, 1 + j1] + B[1 + i1, j1] + B[i1 - 1, j1])
