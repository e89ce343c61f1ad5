import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    if x > 0:
        if x > 1:
            return x
    return 0
