import allo
from allo import *

N = 1 / 0
@kernel
def f(x: i32) -> i32:
    return x + N
