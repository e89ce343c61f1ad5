import allo
from allo import *

@kernel
def f(x: "i32[4]") -> i32:
    y = x[0:2]
    return 0
