from allo import *


D = {"a": 1}


@kernel
def f(x: i32) -> i32:
    return x + D["b"]
