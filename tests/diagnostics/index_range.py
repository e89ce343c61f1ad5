import allo
from allo import *

@kernel
def f(x: "i32[4]") -> i32:
    x[-1] = 0
    return x[4]
