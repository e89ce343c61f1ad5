"""Alternating direction implicit solution of a heat equation."""

from allo.exp.lang import f32, kernel

N = 8
STEPS = 2

DX = 1.0 / N
DY = 1.0 / N
DT = 1.0 / STEPS
MUL1 = 2.0 * DT / (DX * DX)
MUL2 = 1.0 * DT / (DY * DY)
a = -MUL1 / 2.0
b = 1.0 + MUL1
c = a
d = -MUL2 / 2.0
e = 1.0 + MUL2
f = d


@kernel
def columns(u: "f32[N, N]", v: "f32[N, N]", p: "f32[N, N]", q: "f32[N, N]"):
    for i in range(1, N - 1):
        v[0, i] = 1.0
        p[i, 0] = 0.0
        q[i, 0] = v[0, i]
        for j in range(1, N - 1):
            p[i, j] = -c / (a * p[i, j - 1] + b)
            q[i, j] = (-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - f * u[j, i + 1] - a * q[i, j - 1]) / (
                a * p[i, j - 1] + b
            )
        v[N - 1, i] = 1.0
        for j in range(N - 2, 0, -1):
            v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]


@kernel
def rows(u: "f32[N, N]", v: "f32[N, N]", p: "f32[N, N]", q: "f32[N, N]"):
    for i in range(1, N - 1):
        u[i, 0] = 1.0
        p[i, 0] = 0.0
        q[i, 0] = u[i, 0]
        for j in range(1, N - 1):
            p[i, j] = -f / (d * p[i, j - 1] + e)
            q[i, j] = (-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - c * v[i + 1, j] - d * q[i, j - 1]) / (
                d * p[i, j - 1] + e
            )
        u[i, N - 1] = 1.0
        for j in range(N - 2, 0, -1):
            u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]


@kernel
def adi(u: "f32[N, N]", v: "f32[N, N]", p: "f32[N, N]", q: "f32[N, N]"):
    for t in range(STEPS):
        columns(u, v, p, q)
        rows(u, v, p, q)
