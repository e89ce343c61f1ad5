"""Two integers in, their sum out.

There is nothing to wait for: a single addition, without a memory or a loop.
"""

from allo import i32, kernel


@kernel
def scalar_add(x: i32, y: i32) -> i32:
    return x + y
