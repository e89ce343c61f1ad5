from allo import *


@kernel
def f(a: "i32[4, 4]") -> i32:
    return a[0][1]
