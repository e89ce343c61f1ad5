"""Convolution of an image with 3 x 3 weights, row stationary: worker (r, y) slides row r of the weights along a row of the image.

What the three workers of a row of the output find is summed up on the way down.
"""

import allo
from allo import Stream, i16, i32, kernel

H = 8
W = 16
R = 3
OUT_H = H - R + 1
OUT_W = W - R + 1


@kernel(mapping=[R, OUT_H])
def row(image: "i16[H, W]", weights: "i16[R, R]", down: Stream[i32][R + 1, OUT_H]):
    r, y = allo.get_wid(0), allo.get_wid(1)
    w0: i16 = weights[r, 0]
    w1: i16 = weights[r, 1]
    w2: i16 = weights[r, 2]
    p0: i16 = 0
    p1: i16 = 0
    for x in range(W):
        p2: i16 = image[y + r, x]
        if x >= R - 1:
            above: i32 = 0
            if r > 0:
                above = down[r, y].get()
            down[r + 1, y].put(above + p0 * w0 + p1 * w1 + p2 * w2)
        p0 = p1
        p1 = p2


@kernel(mapping=[OUT_H])
def take(down: Stream[i32][R + 1, OUT_H], out: "i32[OUT_H, OUT_W]"):
    y = allo.get_wid(0)
    for x in range(OUT_W):
        out[y, x] = down[R, y].get()


@kernel
def convolution(image: "i16[H, W]", weights: "i16[R, R]", out: "i32[OUT_H, OUT_W]"):
    down: Stream[i32][R + 1, OUT_H]
    row(image, weights, down)
    take(down, out)


@kernel
def plain(image: "i16[H, W]", weights: "i16[R, R]", out: "i32[OUT_H, OUT_W]"):
    for y in range(OUT_H):
        for x in range(OUT_W):
            total: i32 = 0
            for r in range(R):
                for c in range(R):
                    total += image[y + r, x + c] * weights[r, c]
            out[y, x] = total
