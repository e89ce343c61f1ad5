"""Deriche's recursive edge detection filter on an image."""

import math

import allo
from allo import f32, kernel

W = 8
H = 6
ALPHA = 0.25
K = (1.0 - math.exp(-ALPHA)) * (1.0 - math.exp(-ALPHA)) / (1.0 + 2.0 * ALPHA * math.exp(-ALPHA) - math.exp(2.0 * ALPHA))
A1 = K
A2 = K * math.exp(-ALPHA) * (ALPHA - 1.0)
A3 = K * math.exp(-ALPHA) * (ALPHA + 1.0)
A4 = -K * math.exp(-2.0 * ALPHA)
B1 = math.pow(2.0, -ALPHA)
B2 = -math.exp(-2.0 * ALPHA)


@kernel
def horizontal(img: "f32[W, H]", out: "f32[W, H]", y1: "f32[W, H]", y2: "f32[W, H]"):
    for i in range(W):
        ym1: f32 = 0.0
        ym2: f32 = 0.0
        xm1: f32 = 0.0
        for j in range(H):
            y1[i, j] = A1 * img[i, j] + A2 * xm1 + B1 * ym1 + B2 * ym2
            xm1 = img[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for i in range(W):
        yp1: f32 = 0.0
        yp2: f32 = 0.0
        xp1: f32 = 0.0
        xp2: f32 = 0.0
        for j in range(H - 1, -1, -1):
            y2[i, j] = A3 * xp1 + A4 * xp2 + B1 * yp1 + B2 * yp2
            xp2 = xp1
            xp1 = img[i, j]
            yp2 = yp1
            yp1 = y2[i, j]
    for i, j in allo.grid(W, H):
        out[i, j] = y1[i, j] + y2[i, j]


@kernel
def vertical(out: "f32[W, H]", y1: "f32[W, H]", y2: "f32[W, H]"):
    for j in range(H):
        tm1: f32 = 0.0
        ym1: f32 = 0.0
        ym2: f32 = 0.0
        for i in range(W):
            y1[i, j] = A1 * out[i, j] + A2 * tm1 + B1 * ym1 + B2 * ym2
            tm1 = out[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for j in range(H):
        tp1: f32 = 0.0
        tp2: f32 = 0.0
        yp1: f32 = 0.0
        yp2: f32 = 0.0
        for i in range(W - 1, -1, -1):
            y2[i, j] = A3 * tp1 + A4 * tp2 + B1 * yp1 + B2 * yp2
            tp2 = tp1
            tp1 = out[i, j]
            yp2 = yp1
            yp1 = y2[i, j]
    for i, j in allo.grid(W, H):
        out[i, j] = y1[i, j] + y2[i, j]


@kernel
def deriche(img: "f32[W, H]", out: "f32[W, H]"):
    y1: "f32[W, H]"
    y2: "f32[W, H]"
    horizontal(img, out, y1, y2)
    vertical(out, y1, y2)
