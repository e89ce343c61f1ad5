from allo import *


@kernel
def f(x: i32) -> "i32[2]":
    return [1, 2]
