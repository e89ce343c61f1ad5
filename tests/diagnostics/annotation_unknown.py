import allo
from allo import *

@kernel
def f(x: i33x) -> i32:
    return 1
