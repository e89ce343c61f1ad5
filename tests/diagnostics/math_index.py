import allo
from allo import *


@kernel
def f(a: index) -> f32:
    return allo.math.exp(a)
