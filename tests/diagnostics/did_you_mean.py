import allo
from allo import *

@kernel
def f(alpha: i32) -> i32:
    return alpa
