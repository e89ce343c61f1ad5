import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    a = lambda: x
    b = [i for i in range(4)]
    c = {1: 2}
    d = (e := 3)
    g = x < x < x
    h = f"{x}"
    j = x @ x
    return x
