# Which of two workers writes an element changes with each invocation: these do not overlap, though no process waits for another.
import allo
from allo import *


@kernel(mapping=[2])
def adds(turn: u1, x: "i32[16]", y: "i32[2]"):
    w = allo.get_wid(0)
    total: i32 = w + 5
    if w == 1:
        for i in range(16):
            total += x[i]
    at: index = (turn + w) & 1
    y[at] = total


@kernel
def top(turn: u1, x: "i32[16]", y: "i32[2]"):
    s: Stream[i32]
    adds(turn, x, y)
