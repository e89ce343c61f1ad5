import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    if x > 0:
        @kernel
        def g(v: i32) -> i32:
            return v
    return x
