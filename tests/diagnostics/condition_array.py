import allo
from allo import *


@kernel
def f(a: "i32[2]", b: "i32[2]") -> i32:
    r: i32 = 0
    if a == b:
        r = 1
    return r
