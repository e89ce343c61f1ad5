from allo import *


@kernel
def f(n: constexpr) -> i32:
    return n
