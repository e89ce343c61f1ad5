import allo
from allo import *


@kernel
def f(a: i32, b: i32) -> i32:
    return allo.linalg.dot(a, b)
# -->
# [E0503] dot_scalars.py:7:28: error: 'dot' needs arrays, not a value of type i32
# 7 |     return allo.linalg.dot(a, b)
#   |                            ^
