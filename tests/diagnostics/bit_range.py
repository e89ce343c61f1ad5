import allo
from allo import *

@kernel
def f(x: i8) -> i32:
    return x[8]
