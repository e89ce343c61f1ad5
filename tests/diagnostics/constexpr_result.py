from allo import *


@kernel
def f(n: i32) -> constexpr:
    return n
