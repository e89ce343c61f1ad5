"""Depthwise convolution: a worker for each channel, with weights of its own; pixels come with all channels one after the other."""

import allo
from allo import Stream, i16, i32, kernel

C = 4
N = 64
K = 3


@kernel
def deal(pixels: Stream[i16], inputs: Stream[i16][C]):
    for i in range(N):
        for c in range(C):
            inputs[c].put(pixels.get())


@kernel(mapping=[C])
def channel(weights: "i16[C, K]", inputs: Stream[i16][C], outputs: Stream[i32][C]):
    c = allo.get_wid(0)
    w0: i16 = weights[c, 0]
    w1: i16 = weights[c, 1]
    w2: i16 = weights[c, 2]
    x0: i16 = 0
    x1: i16 = 0
    for i in range(N):
        x2 = inputs[c].get()
        outputs[c].put(w0 * x0 + w1 * x1 + w2 * x2)
        x0 = x1
        x1 = x2


@kernel
def collect(outputs: Stream[i32][C], results: Stream[i32]):
    for i in range(N):
        for c in range(C):
            results.put(outputs[c].get())


@kernel
def depthwise(pixels: Stream[i16], weights: "i16[C, K]", results: Stream[i32]):
    inputs: Stream[i16][C]
    outputs: Stream[i32][C]
    deal(pixels, inputs)
    channel(weights, inputs, outputs)
    collect(outputs, results)


@kernel
def plain(pixels: Stream[i16], weights: "i16[C, K]", results: Stream[i32]):
    before: "i16[C, K - 1]" = 0
    for i in range(N):
        for c in range(C):
            x = pixels.get()
            results.put(weights[c, 0] * before[c, 0] + weights[c, 1] * before[c, 1] + weights[c, 2] * x)
            before[c, 0] = before[c, 1]
            before[c, 1] = x
