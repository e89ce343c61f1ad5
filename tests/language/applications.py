# Kernels in the manner of pp4fpgas and Rosetta, with the imports of a published file.
import os
import json
import allo.exp as allo
import numpy as np
import pytest
from allo.exp import kernel, KernelOptions
from allo.exp.lang import i32, f32, u8, u16, u32, i16, i8, Template, constexpr, consteval, index, apint, f64, u1
from allo.exp.lang.core import f32 as F
from allo.exp.operators import arith, math, linalg
from allo.exp.operators.arith import add
import allo.exp.operators.math as amath

sys_path = os.path.dirname(os.path.abspath(__file__))

T = Template("T")
M = Template("M")
N = Template("N")


@kernel
def fir(inp: i32, taps: "i32[11]", shift: "i32[11]") -> i32:
    acc: i32 = 0
    for i in range(10, 0, -1):
        shift[i] = shift[i - 1]
        acc += shift[i] * taps[i]
    acc += inp * taps[0]
    shift[0] = inp
    return acc


#: fir {"inp": 5, "taps": [1,2,3,4,5,6,7,8,9,10,11], "shift": [1,1,1,1,1,1,1,1,1,1,1]} -> {"return": 70, "shift": [5,1,1,1,1,1,1,1,1,1,1]}


@kernel
def cordic(theta: f32, out: "f32[2]"):
    phase: "f32[8]" = [0.78539816, 0.46364761, 0.24497866, 0.12435499, 0.06241881, 0.03123983, 0.01562373, 0.00781234]
    cs: f32 = 0.60735
    sn: f32 = 0.0
    factor: f32 = 1.0
    t: f32 = theta
    for j in range(8):
        sigma: f32 = -1.0 if t < 0 else 1.0
        cos_shift: f32 = cs * sigma * factor
        sin_shift: f32 = sn * sigma * factor
        cs = cs - sin_shift
        sn = sn + cos_shift
        t = t - sigma * phase[j]
        factor = factor / 2
    out[0] = cs
    out[1] = sn


@kernel
def histogram(inp: "u8[16]", hist: "u32[256]"):
    acc: u32 = 0
    old: u8 = inp[0]
    for i in range(16):
        val: u8 = inp[i]
        if old == val:
            acc += 1
        else:
            hist[old] = acc
            acc = hist[val] + 1
        old = val
    hist[old] = acc


@kernel
def prefix_sum(inp: "i32[8]", out: "i32[8]"):
    acc: i32 = 0
    for i in range(8):
        acc += inp[i]
        out[i] = acc


#: prefix_sum {"inp": [1,2,3,4,5,6,7,8], "out": [0,0,0,0,0,0,0,0]} -> {"out": [1,3,6,10,15,21,28,36]}


@kernel
def insertion_sort(A: "i32[8]"):
    for i in range(1, 8):
        item: i32 = A[i]
        j: index = i
        t: i32 = A[j - 1]
        while (j > 0) and (t > item):
            A[j] = t
            j -= 1
            if j > 0:
                t = A[j - 1]
        A[j] = item


#: insertion_sort {"A": [5,3,8,1,9,2,7,4]} -> {"A": [1,2,3,4,5,7,8,9]}


@kernel
def popcount(x: apint(49)) -> apint(6):
    ones: apint(6) = 0
    for i in range(49):
        ones += x[i]
    return ones


#: popcount {"x": 562949953421311} -> {"return": 49}


@kernel
def knn_update(dist: u8, label: u8, dists: "u8[3]", labels: "u8[3]"):
    max_id: i32 = 3
    max_dist: u8 = dist
    for k in range(3):
        if dists[k] > max_dist:
            max_dist = dists[k]
            max_id = k
    if max_id != 3:
        dists[max_id] = dist
        labels[max_id] = label


#: knn_update {"dist": 3, "label": 7, "dists": [9, 2, 10], "labels": [1, 2, 3]} -> {"dists": [9, 2, 3], "labels": [1, 2, 7]}


@kernel
def sigmoid_lut(theta: "f32[4]", x: "f32[4]") -> f32:
    dot: f32 = 0.0
    for i in range(4):
        dot += theta[i] * x[i]
    return 1.0 / (1.0 + math.exp(-dot))


@kernel
def spam_filter(theta: "f32[4]", x: "f32[4]", label: u1, step: f32):
    p: f32 = sigmoid_lut(theta, x)
    for i in range(4):
        g: f32 = (p - label) * x[i]
        theta[i] = theta[i] - step * g


#: spam_filter {"theta": [0, 0, 0, 0], "x": [1, 2, 3, 4], "label": 1, "step": 2.0} -> {"theta": [1.0, 2.0, 3.0, 4.0]}


@kernel
def optical_grad(frame: "f32[5, 5]", gx: "f32[5, 5]"):
    W: constexpr = [1, -8, 0, 8, -1]
    w: "i32[5]" = W
    for r, c in allo.grid(5, 5, name="rc"):
        g: f32 = 0.0
        if c >= 2 and c < 3:
            for i in range(5):
                g += frame[r, c - i + 2] * w[4 - i]
        gx[r, c] = g / 12


#: optical_grad {"frame": [1,2,3,4,5,1,2,3,4,5,1,2,3,4,5,1,2,3,4,5,1,2,3,4,5], "gx": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]} -> {"gx": [[0.0,0.0,1.0,0.0,0.0],[0.0,0.0,1.0,0.0,0.0],[0.0,0.0,1.0,0.0,0.0],[0.0,0.0,1.0,0.0,0.0],[0.0,0.0,1.0,0.0,0.0]]}


@kernel
def render_edge(x: u8, y: u8, x0: u8, y0: u8, x1: u8, y1: u8) -> u1:
    pi0: i16 = (x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)
    return pi0 >= 0


#: render_edge {"x": 3, "y": 1, "x0": 0, "y0": 0, "x1": 4, "y1": 4} -> {"return": 1}
#: render_edge {"x": 1, "y": 3, "x0": 0, "y0": 0, "x1": 4, "y1": 4} -> {"return": 0}


@kernel(T, M, N)
def gemm(A: "T[M, N]", B: "T[N, M]", C: "T[M, M]"):
    for i, j in allo.grid(M, M):
        acc: T = 0
        for k in range(N):
            acc += A[i, k] * B[k, j]
        C[i, j] = acc
gemm_i = gemm[i32, 2, 3]


#: gemm_i {"A": [1,2,3,4,5,6], "B": [1,2,3,4,5,6], "C": [0,0,0,0]} -> {"C": [[22, 28], [49, 64]]}
#: gemm[f32, 2, 3] {"A": [1,2,3,4,5,6], "B": [1,2,3,4,5,6], "C": [0,0,0,0]} -> {"C": [[22.0, 28.0], [49.0, 64.0]]}


@kernel(options=KernelOptions(enable_tensor=True))
def relu(x: "f32[2, 3]") -> "f32[2, 3]":
    return allo.max(x, 0.0)


#: relu {"x": [-1, 2, -3, 4, -5, 6]} -> {"return": [[0.0, 2.0, 0.0], [4.0, 0.0, 6.0]]}


@kernel
def addk(x: "f32[4]", y: "f32[4]", out: "f32[4]"):
    add(x, y, acc=out)
    arith.mul(out, 2.0, acc=out)
    amath.sqrt(out, acc=out)


#: addk {"x": [1, 1, 1, 1], "y": [1, 1, 1, 1], "out": [0,0,0,0]} -> {"out": [2.0, 2.0, 2.0, 2.0]}


def test_gemm():
    mod = allo.compile(gemm_i)
    np_A = np.random.randint(0, 10, (2, 3)).astype(np.int32)
    np.testing.assert_allclose(mod(np_A), np_A)


@pytest.mark.parametrize("dtype", [i32, f32])
def test_all(dtype):
    pass


if __name__ == "__main__":
    pytest.main([__file__])
