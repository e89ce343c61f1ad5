import allo
from allo import *


N = Template("N")
@kernel(N)
def p(x: i32) -> i32:
    return p[N + 1](x + 1)
@kernel
def f(x: i32) -> i32:
    return p[5](x)
