import allo
from allo import *

@kernel
def f(x: f16, y: bf16) -> f32:
    return x + y
