import allo
from allo import *

@kernel
def f(x: apint(4000), y: apint(100)) -> i32:
    return x * y
