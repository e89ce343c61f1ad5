"""Bitonic sort of 8 numbers at a time (Batcher, 1968): a worker for each comparator of each step."""

import allo
from allo import Stream, constexpr, i16, kernel

N = 8
BLOCKS = 16
# By step: how far apart the numbers are that are compared, and the length of the runs whose directions alternate.
STEPS = [(1, 2), (2, 4), (1, 4), (4, 8), (2, 8), (1, 8)]
S = len(STEPS)


@kernel(mapping=[N])
def feed(x: "i16[BLOCKS, N]", wires: Stream[i16][S + 1, N]):
    i = allo.get_wid(0)
    for b in range(BLOCKS):
        wires[0, i].put(x[b, i])


@kernel(mapping=[S, N // 2])
def comparator(wires: Stream[i16][S + 1, N]):
    step, at = allo.get_wid(0), allo.get_wid(1)
    apart: constexpr = STEPS[step][0]
    run: constexpr = STEPS[step][1]
    low: constexpr = at // apart * 2 * apart + at % apart
    high: constexpr = low + apart
    for b in range(BLOCKS):
        p, q = wires[step, low].get(), wires[step, high].get()
        swaps = p > q if low & run == 0 else p < q
        wires[step + 1, low].put(q if swaps else p)
        wires[step + 1, high].put(p if swaps else q)


@kernel(mapping=[N])
def take(wires: Stream[i16][S + 1, N], y: "i16[BLOCKS, N]"):
    i = allo.get_wid(0)
    for b in range(BLOCKS):
        y[b, i] = wires[S, i].get()


@kernel
def bitonic_sort(x: "i16[BLOCKS, N]", y: "i16[BLOCKS, N]"):
    wires: Stream[i16][S + 1, N]
    feed(x, wires)
    comparator(wires)
    take(wires, y)


@kernel
def plain(x: "i16[BLOCKS, N]", y: "i16[BLOCKS, N]"):
    for b in range(BLOCKS):
        for i in range(N):
            y[b, i] = x[b, i]
        for i in range(N):
            for j in range(N - 1):
                p: i16 = y[b, j]
                q: i16 = y[b, j + 1]
                y[b, j] = min(p, q)
                y[b, j + 1] = max(p, q)
