import allo
from allo import *

@kernel
def f(x: f32) -> f32:
    return x & 1
