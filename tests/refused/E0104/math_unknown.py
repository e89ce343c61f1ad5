import allo
from allo import *


@kernel
def f(a: f32) -> f32:
    return allo.math.expp(a)
# -->
# [E0104] math_unknown.py:7:12: error: a module has no attribute 'expp'
# 7 |     return allo.math.expp(a)
#   |            ^^^^^^^^^^^^^^
# help: did you mean 'exp'?
