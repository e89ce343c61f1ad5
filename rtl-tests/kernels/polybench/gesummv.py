"""y := alpha * A * x + beta * B * x."""

from allo import f64, kernel

N = 8
alpha = 1.5
beta = 1.2


@kernel
def gesummv(A: "f64[N, N]", B: "f64[N, N]", x: "f64[N]", y: "f64[N]"):
    tmp: "f64[N]"
    for i in range(N):
        tmp[i] = 0.0
        y[i] = 0.0
        for j in range(N):
            tmp[i] += A[i, j] * x[j]
            y[i] += B[i, j] * x[j]
        y[i] = alpha * tmp[i] + beta * y[i]
