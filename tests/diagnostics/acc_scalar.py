import allo
from allo import *


@kernel
def f(a: "i32[4]", c: i32):
    allo.arith.add(a, a, acc=c)
