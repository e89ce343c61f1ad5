from allo import *


@kernel
def f(x: i32):
    static_assert(x > 2)
