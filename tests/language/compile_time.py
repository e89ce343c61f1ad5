# Python's functions on what is known while compiling.
from allo import *
import numpy as np

TABLE = (3, 9, -4)
WORDS = ["a", "ccc", "bb"]
ARRAY = np.array([5, 250, 7], dtype=np.uint8)


@kernel
def extrema(x: i32) -> (i32, i32, i32, i32, i32):
    return x + max(TABLE), x + min(TABLE), max([x * 2 for x in TABLE]), len(max(WORDS, key=len)), max(ARRAY)


#: extrema {"x": 100} -> {"return": [109, 96, 18, 3, 250]}


@kernel
def scalars(x: i32) -> (i32, i32, i32):
    a: i32 = max(x, max(TABLE))
    b: i32 = min(TABLE[0], 2)
    return a, b, abs(TABLE[2])


#: scalars {"x": 10} -> {"return": [10, 2, 4]}
#: scalars {"x": 2} -> {"return": [9, 2, 4]}


@kernel
def chained(x: i32) -> i32:
    static_assert(0 < len(WORDS) <= 3 != 4, "in a row")
    return x if 3 > 2 > 2 else x + 1


#: chained {"x": 1} -> {"return": 2}


@kernel
def named_like_a_type(index: i32, i32: i32) -> index:
    return index + i32


#: named_like_a_type {"index": 1, "i32": 2} -> {"return": 3}
