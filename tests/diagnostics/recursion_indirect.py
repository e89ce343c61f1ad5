import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return g(x)

@kernel
def g(x: i32) -> i32:
    return f(x)
