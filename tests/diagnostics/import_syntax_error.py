from allo import *
from broken import g


@kernel
def f(x: i32) -> i32:
    return g(x)
