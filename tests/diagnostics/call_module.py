from allo import *


import math


@kernel
def f(x: f32) -> f32:
    return math.sqrt(x)
