import allo
from allo import *

@kernel
def f(x: i32) -> f32:
    return f32(x)
