from allo import *
from ring import first


@kernel
def f(x: i32) -> i32:
    return x + first
