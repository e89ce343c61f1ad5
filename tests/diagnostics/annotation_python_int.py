import allo
from allo import *

@kernel
def f(x: int) -> i32:
    return 1
