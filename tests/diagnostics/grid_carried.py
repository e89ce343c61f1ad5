import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    s: i32 = 0
    for i, j in allo.grid(4, 4):
        s += i
    return s
