"""Small kernels whose hardware one can look through."""

from allo import Template, i8, i16, i32, kernel, u8

T, N, TAPS, SAMPLES = [Template(name) for name in ["T", "N", "TAPS", "SAMPLES"]]


@kernel(T, N)
def saxpy(a: T, x: "T[N]", y: "T[N]", out: "T[N]"):
    for i in range(N):
        out[i] = a * x[i] + y[i]


@kernel(T, N)
def matmul(a: "T[N, N]", b: "T[N, N]", c: "T[N, N]"):
    for i in range(N):
        for j in range(N):
            total: T = 0
            for k in range(N):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@kernel(SAMPLES, TAPS)
def fir(x: "i16[SAMPLES + TAPS - 1]", taps: "i16[TAPS]", y: "i32[SAMPLES]"):
    for n in range(SAMPLES):
        total: i32 = 0
        for k in range(TAPS):
            total += taps[k] * x[n + k]
        y[n] = total


@kernel(N)
def prefix_sum(x: "i32[N]", out: "i32[N]"):
    total: i32 = 0
    for i in range(N):
        total += x[i]
        out[i] = total


@kernel(N)
def convolution(image: "u8[N, N]", taps: "i8[3, 3]", out: "i32[N, N]"):
    for r in range(N - 2):
        for c in range(N - 2):
            total: i32 = 0
            for k in range(3):
                for l in range(3):
                    total += taps[k, l] * image[r + k, c + l]
            out[r, c] = total
