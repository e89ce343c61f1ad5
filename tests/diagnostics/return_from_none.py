from allo import *


@kernel
def f(x: i32) -> None:
    return x
