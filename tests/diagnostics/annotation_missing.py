import allo
from allo import *

@kernel
def f(x, y: i32) -> i32:
    return y
