from allo import *

N = 4


@kernel
def scale(x: i32) -> i32:
    return x * factor
