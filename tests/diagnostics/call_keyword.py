import allo
from allo import *

@kernel
def g(alpha: i32) -> i32:
    return alpha

@kernel
def f(x: i32) -> i32:
    return g(alpa=x)
