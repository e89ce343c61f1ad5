import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    N: constexpr = 4
    N = 5
    M: constexpr
    P: constexpr = x
    return x
