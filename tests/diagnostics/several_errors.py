import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    a: i32 = b
    c = a + 1
    d: i32 = c + e
    return d + a
