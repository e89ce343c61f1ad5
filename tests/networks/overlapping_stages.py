# Arrays go from process to process: each is at an invocation of its own. `once` is used two stages later, too.
from allo import *


@kernel
def load(x: "i32[16]", a: "i32[16]", k: i32):
    for i in range(16):
        a[i] = x[i] ^ k


@kernel
def turn(a: "i32[16]", b: "i32[16]", k: i32):
    for i in range(16):
        b[i] = a[15 - i] * k


@kernel
def sums(a: "i32[16]", b: "i32[16]", c: "i32[16]"):
    for i in range(16):
        c[i] = b[i] + a[i]


@kernel
def store(a: "i32[16]", c: "i32[16]", y: "i32[16]", k: i32):
    for i in range(16):
        y[i] = c[i] - a[(i + 5) % 16] + k


@kernel
def top(x: "i32[16]", y: "i32[16]", k: i32):
    s: Stream[i32]
    a: i32[16]
    b: i32[16]
    c: i32[16]
    load(x, a, k)
    turn(a, b, k)
    sums(a, b, c)
    store(a, c, y, k)
