"""Scores of attention without softmax: queries times keys, less the largest of each row, times a scale."""

from allo import *
from allo.pto import *

OPTIONS = KernelOptions(typing_style="pto", profile="a5", lanes=4)


@kernel(options=OPTIONS)
def attention(q: "f32[16, 16]", k: "f32[16, 16]", scale: f32, o: "f32[16, 16]"):
    mq: tile(f32, 16, 16, loc="mat")
    mk: tile(f32, 16, 16, loc="mat")
    left: tile(f32, 16, 16, loc="left")
    right: tile(f32, 16, 16, loc="right")
    products: tile(f32, 16, 16, loc="acc")
    scores: tile(f32, 16, 16)
    largest: tile(f32, 16, 8, valid=(16, 1))
    spread: tile(f32, 16, 16)
    tload(mq, q)
    tload(mk, k)
    tmov(left, mq)
    tmov(right, mk)
    tmatmul(products, left, right)
    tmov(scores, products)
    trowmax(largest, scores)
    trowexpand(spread, largest)
    tsub(scores, scores, spread)
    tmuls(scores, scores, scale)
    tsubs(scores, scores, 1.0)
    tstore(o, scores)


@kernel(options=OPTIONS)
def plain(q: "f32[16, 16]", k: "f32[16, 16]", scale: f32, o: "f32[16, 16]"):
    for i in range(16):
        row: "f32[16]" = 0.0
        largest: f32 = -float("inf")
        for n in range(16):
            for j in range(16):
                row[j] = row[j] + q[i, n] * k[n, j]
        for j in range(16):
            largest = max(largest, row[j])
        for j in range(16):
            o[i, j] = (row[j] - largest) * scale - 1.0
