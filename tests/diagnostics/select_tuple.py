import allo
from allo import *


@kernel
def f(c: i32, b: f32) -> i32:
    y = (1, c) if c else b
    return y
