"""Jacobi's iteration on a line."""

from allo import Template, kernel

T = Template("T")
N = Template("N")
STEPS = Template("STEPS")


@kernel(T, N, STEPS)
def jacobi_1d(A: "T[N]", B: "T[N]"):
    for t in range(STEPS):
        for i in range(1, N - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, N - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])
