import allo
from allo import *


@kernel
def f(x: i32) -> i32:
    return allo.arith.cast(x, 32)
