"""The heat equation in a cube, with two buffers in turn."""

import allo
from allo import f32, kernel

N = 5
STEPS = 2


@kernel
def step(src: "f32[N, N, N]", dst: "f32[N, N, N]"):
    for i, j, k in allo.grid((1, N - 1), (1, N - 1), (1, N - 1)):
        dst[i, j, k] = (
            0.125 * (src[i + 1, j, k] - 2.0 * src[i, j, k] + src[i - 1, j, k])
            + 0.125 * (src[i, j + 1, k] - 2.0 * src[i, j, k] + src[i, j - 1, k])
            + 0.125 * (src[i, j, k + 1] - 2.0 * src[i, j, k] + src[i, j, k - 1])
            + src[i, j, k]
        )


@kernel
def heat_3d(A: "f32[N, N, N]", B: "f32[N, N, N]"):
    for t in range(STEPS):
        step(A, B)
        step(B, A)
