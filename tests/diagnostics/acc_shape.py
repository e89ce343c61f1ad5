import allo
from allo import *


@kernel
def f(a: "i32[2, 3]", b: "i32[3]"):
    allo.arith.add(a, a, acc=b)
