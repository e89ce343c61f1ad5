"""A linear system by LU decomposition and two substitutions."""

from allo import f32, kernel

N = 7


@kernel
def ludcmp(A: "f32[N, N]", b: "f32[N]", x: "f32[N]", y: "f32[N]"):
    for i in range(N):
        for j in range(i):
            w: f32 = A[i, j]
            for k in range(j):
                w -= A[i, k] * A[k, j]
            A[i, j] = w / A[j, j]
        for j in range(i, N):
            w: f32 = A[i, j]
            for k in range(i):
                w -= A[i, k] * A[k, j]
            A[i, j] = w

    for i in range(N):
        forward: f32 = b[i]
        for j in range(i):
            forward -= A[i, j] * y[j]
        y[i] = forward

    for i in range(N - 1, -1, -1):
        back: f32 = y[i]
        for j in range(i + 1, N):
            back -= A[i, j] * x[j]
        x[i] = back / A[i, i]
