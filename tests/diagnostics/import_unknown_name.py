from allo import *
from helpers import M


@kernel
def f(x: i32) -> i32:
    return x + M
