import allo
from allo import *


@kernel
def f(a: f32) -> f32:
    return allo.nn.relu(a)
# -->
# [E0104] namespace_unknown.py:7:12: error: a module has no attribute 'nn'
# 7 |     return allo.nn.relu(a)
#   |            ^^^^^^^
