# Workers that are processes themselves, and workers within workers, all on one array at places that the data decide.
import allo
from allo import *


@kernel
def reads(y: "i32[8]", at: "u3[8]", s: Stream[i32, 4], w: i32):
    for i in range(4):
        s.put(y[at[w * 4 + i]])


@kernel
def writes(y: "i32[8]", at: "u3[8]", s: Stream[i32, 4], w: i32):
    for i in range(4):
        y[at[7 - w * 4 - i]] = s.get() + 1


@kernel(mapping=[2])
def moves(y: "i32[8]", at: "u3[8]"):
    w = allo.get_wid(0)
    s: Stream[i32, 4]
    reads(y, at, s, w)
    writes(y, at, s, w)


@kernel(mapping=[2])
def adds(y: "i32[8]", at: "u3[8]", k: i32):
    v = allo.get_wid(0)
    for i in range(2):
        y[at[k * 4 + v * 2 + i]] += 10 * k + v + 1


@kernel(mapping=[2])
def grids(y: "i32[8]", at: "u3[8]"):
    w = allo.get_wid(0)
    adds(y, at, w)


@kernel
def top(y: "i32[8]", z: "i32[8]", at: "u3[8]"):
    moves(y, at)
    grids(z, at)
