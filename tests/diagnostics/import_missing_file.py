from allo import *
from layers import dense


@kernel
def f(x: i32) -> i32:
    return dense(x)
