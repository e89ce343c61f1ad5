import allo
from allo import *

@kernel
def f(c: bool, x: f16, y: bf16) -> f32:
    return x if c else y
