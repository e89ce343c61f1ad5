import allo
from allo import *

@kernel
def f(x: f32) -> i32:
    return x[0]
