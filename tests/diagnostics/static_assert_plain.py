from allo import *


N = 3


@kernel
def f(x: i32):
    static_assert(N % 2 == 0)
