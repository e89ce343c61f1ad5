"""One of two integers, returned from either side of a branch.

A return may stand at the top of the body or in a first-level branch; the two become one
multiplexer.
"""

import allo
from allo import i32, kernel


@kernel
def choose(cond: allo.bool, x: i32, y: i32) -> i32:
    if cond:
        return x
    return y
