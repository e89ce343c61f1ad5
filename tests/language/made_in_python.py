# Kernels that Python makes: in functions, with what is captured there, in loops, in classes.
import allo
from allo import *


def scaled(n, by, ty=i32):
    table = [by * i for i in range(n)]

    @kernel
    def row(x: ty[n], y: ty[n]):
        t: ty[n] = table
        for i in range(n):
            y[i] = x[i] * t[i] + offset

    # Seen when the kernel is compiled.
    offset = 100
    return row


kernels = [scaled(n, 3) for n in (2, 4)]
small, large = kernels

#: small {"x": [1, 2], "y": [0, 0]} -> {"x": [1, 2], "y": [100, 106]}
#: large {"x": [1, 2, 3, 4], "y": [0, 0, 0, 0]} -> {"x": [1, 2, 3, 4], "y": [100, 106, 118, 136]}

bytes_too = scaled(2, 3, u8)

#: bytes_too {"x": [1, 60], "y": [0, 0]} -> {"x": [1, 60], "y": [100, 24]}

for width in (8, 16):

    @kernel
    def narrow(x: apint(width)) -> apint(width + 1):
        return x + 1


#: narrow {"x": 65535} -> {"return": 65536}


class Unit:
    size = 4

    @kernel
    def double(x: i32) -> i32:
        return x + x


def grid(p):
    @kernel(mapping=[p])
    def worker(x: i32[p], y: i32[p]):
        i = allo.get_wid(0)
        y[i] = x[i] + i

    @kernel
    def all_of_them(x: i32[p], y: i32[p]) -> i32:
        worker(x, y)

        @kernel
        def inner(x: i32) -> i32:
            return x + p

        return Unit.double(inner(y[p - 1]))

    return all_of_them


three = grid(3)

#: three {"x": [5, 6, 7], "y": [0, 0, 0]} -> {"x": [5, 6, 7], "y": [5, 7, 9], "return": 24}

try:

    @kernel
    def tried(x: i32) -> i32:
        return x - 1
except ImportError:
    pass

#: tried {"x": 1} -> {"return": 0}
