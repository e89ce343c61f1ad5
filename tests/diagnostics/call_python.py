import allo
from allo import *

def g(x):
    return x
@kernel
def f(x: i32) -> i32:
    return g(x)
