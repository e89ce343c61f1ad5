import allo
from allo import *


@kernel
def f(a: f32) -> f32:
    return a + allo.math.log(-1.0)
# -->
# [E0105] math_domain.py:7:16: error: math domain error
# 7 |     return a + allo.math.log(-1.0)
#   |                ^^^^^^^^^^^^^^^^^^^
