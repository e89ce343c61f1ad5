import allo
from allo import *


@kernel
def f(a: f32) -> f32:
    return allo.math.expp(a)
