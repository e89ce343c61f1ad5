"""A number for the case that a pair of integers falls into.

The variable is declared before the branches and used after them; comparisons, priority and
result are combinational logic.
"""

from allo import i32, kernel


@kernel
def classify(x: i32, y: i32) -> i32:
    result: i32 = 0
    if x == 0:
        result = 1
    elif y > x:
        result = 2
    else:
        result = 3
    return result
