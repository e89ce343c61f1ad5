import allo
from allo import *

@kernel
def f(x: "i32[4]") -> i32:
    r: i32 = 0
    if x:
        r = 1
    return r
