import allo
from allo import *


@kernel
def f(a: f32) -> f32:
    return a + allo.math.log(-1.0)
