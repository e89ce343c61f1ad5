from allo import *


@kernel
def f(y: f32) -> f32:
    return ~y
