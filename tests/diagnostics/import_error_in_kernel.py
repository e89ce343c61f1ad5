from allo import *
from helpers import scale


@kernel
def f(x: i32) -> i32:
    return scale(x)
