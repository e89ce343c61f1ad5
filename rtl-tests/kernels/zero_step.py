# A runtime step that turns out to be a constant 0, or negative: no iteration.
from allo import *


@kernel
def walk(a: "i32[8]", step: index):
    for i in range(4, 0, step):
        a[i] += 1


@kernel
def top(s: i32, a: "i32[8]"):
    v: i32 = s < s
    for i in range(1, s & 7, v):
        a[i] = 5
    walk(a, -1)
    walk(a, v - 1)
