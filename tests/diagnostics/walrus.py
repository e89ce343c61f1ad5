from allo import *


@kernel
def f(x: i32) -> i32:
    return (y := x) + y
