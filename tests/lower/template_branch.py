# top: g
from allo import *
N = Template("N")
@kernel(N)
def f(x: i32) -> i32:
    if N == 1:
        return x
    return x + N
@kernel
def g(x: i32) -> i32:
    return f[1](x) + f[2](x)
