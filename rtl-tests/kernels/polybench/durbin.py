"""Durbin's recursion for a Toeplitz system."""

from allo import f32, kernel

N = 8


@kernel
def durbin(r: "f32[N]", y: "f32[N]"):
    z: "f32[N]"
    y[0] = -r[0]
    beta: f32 = 1.0
    alpha: f32 = -r[0]
    for k in range(1, N):
        beta = (1.0 - alpha * alpha) * beta
        total: f32 = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
