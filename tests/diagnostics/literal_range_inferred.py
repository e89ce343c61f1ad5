import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    y = 5000000000
    return x
