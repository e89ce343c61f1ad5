import allo
from allo import *

N = 4
@kernel
def f(x: N) -> i32:
    return 1
