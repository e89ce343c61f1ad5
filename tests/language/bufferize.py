# Copies of regular parts of arrays.
import allo
from allo import *

TENSORS = KernelOptions(enable_tensor=True)
TILE = (2, 2)


@kernel
def every_other(a: "i16[8]", i: i32) -> "i16[3]":
    b = a.bufferize([i], [3], [2])
    a[i] = 0
    return b


#: every_other {"a": [0, 1, 2, 3, 4, 5, 6, 7], "i": 3} -> {"return": [3, 5, 7], "a": [0, 1, 2, 0, 4, 5, 6, 7]}
#: every_other {"a": [0, 1, 2, 3, 4, 5, 6, 7], "i": 0} -> {"return": [0, 2, 4], "a": [0, 1, 2, 3, 4, 5, 6, 7]}


@kernel
def reversed(a: "i16[4]") -> "i16[4]":
    b: "i16[4]" = a.bufferize(offsets=[3], sizes=a.shape, strides=[-1])
    return b


#: reversed {"a": [1, 2, 3, 4]} -> {"return": [4, 3, 2, 1]}


@kernel
def tiles(a: "u8[4, 4]") -> u32:
    total: u32 = 0
    for i in range(2):
        for j in range(2):
            tile = allo.bufferize(a, (2 * i, 2 * j), TILE, [1, 1])
            total = total * 16 + tile[0, 1] + tile[1, 0]
    return total


#: tiles {"a": [[0, 1, 2, 3], [4, 0, 2, 1], [0, 3, 0, 0], [1, 0, 9, 0]]} -> {"return": 21833}


@kernel(options=TENSORS)
def of_tensors(a: "i8[2, 3]") -> "i8[2, 1]":
    return (a + 1).bufferize([0, 1], [2, 1], [1, 1])


#: of_tensors {"a": [[1, 2, 3], [4, 5, 6]]} -> {"return": [[3], [6]]}


@kernel
def rank_zero(a: "i8[]") -> i8:
    b = a.bufferize([], [], [])
    a[()] = 1
    return b[()]


#: rank_zero {"a": 7} -> {"return": 7, "a": 1}


@kernel
def element(a: "i8[4]", x: u2) -> "i8[1]":
    return a.bufferize(x, 1, 1)


#: element {"a": [5, 6, 7, 8], "x": 2} -> {"return": [7]}
