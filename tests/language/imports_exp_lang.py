# Imports, tests and schedules as published files have them: what is no kernel is ignored.
import numpy as np
import pytest

import allo
import allo.exp as exp
from allo.exp.lang import Template, constexpr, f32, i32, index, kernel, u8
from allo.operators import arith, linalg, math

M, N, K = 2, 2, 3
T = Template("T")


@kernel(T)
def gemm(A: "T[M, K]", B: "T[K, N]", C: "T[M, N]"):
    for i, j in allo.grid(M, N, name="gemm"):
        acc: T = 0
        for k in allo.reduction(K):
            acc += A[i, k] * B[k, j]
        C[i, j] = acc


@kernel
def rectify(X: "i32[M, N]", Y: "i32[M, N]"):
    for i, j in allo.grid(M, N, name="rectify"):
        Y[i, j] = max(X[i, j], 0)


@kernel
def layer(A: "i32[M, K]", B: "i32[K, N]", Y: "i32[M, N]"):
    C: "i32[M, N]" = 0
    gemm[i32](A, B, C)
    rectify(C, Y)


#: layer {"A": [1, 2, 3, -4, -5, -6], "B": [1, 0, 0, 1, 1, 1], "Y": [0, 0, 0, 0]} -> {"Y": [[4, 5], [0, 0]]}


@kernel
def normalise(x: "f32[3]", out: "f32[3]"):
    top: f32 = x[0]
    for i in range(1, 3):
        top = max(top, x[i])
    total: f32 = 0.0
    e: "f32[3]"
    for i in range(3):
        e[i] = math.exp2(x[i] - top)
        total += e[i]
    for i in range(3):
        out[i] = e[i] / total


#: normalise {"x": [3, 2, 2], "out": [0, 0, 0]} -> {"out": [0.5, 0.25, 0.25]}


@kernel
def functions(x: f32, n: i32, out: "f32[8]"):
    out[0] = math.pow(x, 2)
    out[1] = math.log2(n)
    out[2] = math.rsqrt(x)
    out[3] = math.sin(x - x)
    out[4] = math.fma(x, x, 0.5)
    out[5] = arith.floordiv(n, 3)
    out[6] = n**2
    out[7] = math.tanh(100.0 * x) + math.floor(x / 3.0)


#: functions {"x": 4, "n": 8, "out": [0,0,0,0,0,0,0,0]} -> {"out": [16.0, 3.0, 0.5, 0.0, 16.5, 2.0, 64.0, 2.0]}


def test_layer():
    A = np.random.randint(-3, 3, size=(M, K)).astype(np.int32)
    s = exp.customize(layer)
    s.pipeline("j")
    np.testing.assert_allclose(A, A)


if __name__ == "__main__":
    pytest.main([__file__])
