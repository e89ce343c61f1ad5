# A call stands at one place in the text and is made twice: what it does comes one after the other, in a grid and without.
import allo
from allo import *


@kernel(mapping=[2])
def half(y: "i32[8]"):
    w = allo.get_wid(0)
    for i in range(4):
        y[w * 4 + i] = y[w * 4 + i] * 3 + 1


@kernel
def all_of(y: "i32[8]"):
    for i in range(8):
        y[i] = y[i] * 3 + 1


@kernel
def halves(y: "i32[8]"):
    half(y)


@kernel
def alone(y: "i32[8]"):
    s: Stream[i32]
    all_of(y)


@kernel
def top(y: "i32[8]"):
    halves(y)
    halves(y)
    alone(y)
    alone(y)
