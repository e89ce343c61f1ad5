from allo import *


@kernel
def f(x: None) -> i32:
    return 1
