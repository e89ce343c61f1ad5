import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    y: i32 = x
    y: i32 = 1
    if x > 0:
        y: i32 = 2
    return y
