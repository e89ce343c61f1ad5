import numpy as np
from allo import i32, kernel, static_assert

static_assert(np.median([1, 2, 3]) == 7, "not known to hold")


@kernel
def f(x: i32) -> i32:
    return x
# -->
# [E0104] unknown_assertion.py:4:15: error: a module has no attribute 'median'
# 4 | static_assert(np.median([1, 2, 3]) == 7, "not known to hold")
#   |               ^^^^^^^^^
# help: did you mean 'mean'?
