import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    x.y = 3
    return x
