"""y := transposed A * (A * x)."""

from allo import Template, f32, kernel

T = Template("T")
M = Template("M")
N = Template("N")


@kernel(T, M, N)
def atax(A: "T[M, N]", x: "T[N]", y: "T[N]"):
    out_Ax: "T[M]" = 0
    for m in range(M):
        for r in range(N):
            out_Ax[m] += A[m, r] * x[r]
    for k in range(N):
        y[k] = 0
        for n in range(M):
            y[k] += A[n, k] * out_Ax[n]
