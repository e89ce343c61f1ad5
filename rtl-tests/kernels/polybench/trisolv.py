"""Forward substitution with a lower triangular matrix."""

from allo import f32, kernel

N = 10


@kernel
def trisolv(L: "f32[N, N]", x: "f32[N]", b: "f32[N]"):
    for i in range(N):
        x[i] = b[i]
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] = x[i] / L[i, i]
