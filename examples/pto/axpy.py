"""y += a * x on vectors, of which a mask leaves the tail alone: the first n of 200 elements, 64 lanes at a time."""

from allo import *
from allo.pto import *

LENGTH = 200


@kernel(options=KernelOptions(typing_style="pto", lanes=4))
def axpy(a: f32, n: i32, x: "f32[LENGTH]", y: "f32[LENGTH]"):
    left: i32 = n
    for block in range(0, LENGTH, 64):
        tail: mask[64] = plt(64, left)
        products = vmuls(vlds(x, block), a)
        vsts(vadd(products, vlds(y, block)), y, block, mask=tail)
        left = left - 64


@kernel
def plain(a: f32, n: i32, x: "f32[LENGTH]", y: "f32[LENGTH]"):
    left: i32 = n
    for block in range(4):
        for i in range(64):
            if i < left and 64 * block + i < LENGTH:
                y[64 * block + i] = a * x[64 * block + i] + y[64 * block + i]
        left -= 64
