import allo
from allo import *


@kernel
def f(a: f32) -> f32:
    return allo.math.exp(a, a)
# -->
# [E0502] math_arguments.py:7:12: error: 'exp' takes 1 argument, but 2 given
# 7 |     return allo.math.exp(a, a)
#   |            ^^^^^^^^^^^^^^^^^^^
