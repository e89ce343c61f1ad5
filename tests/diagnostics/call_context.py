import allo
from allo import *

@kernel
def h(a: i32) -> i32:
    return a + q

@kernel
def g(a: i32) -> i32:
    return h(a)

@kernel
def f(x: i32) -> i32:
    return g(x)
