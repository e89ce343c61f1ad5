# Each worker writes three elements, the last of which is the first one of the next worker.
import allo
from allo import *


@kernel(mapping=[3])
def threes(x: "i32[3]", y: "i32[8]"):
    w = allo.get_wid(0)
    for k in range(3):
        y[2 * w + k] = x[w] + k


@kernel
def top(x: "i32[3]", y: "i32[8]"):
    threes(x, y)
