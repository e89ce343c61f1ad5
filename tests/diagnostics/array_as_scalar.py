import allo
from allo import *

@kernel
def f(x: "i32[4]") -> i32:
    y: i32 = x
    return y
