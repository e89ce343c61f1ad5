import allo
from allo import *


@kernel
def f(a: "i32[4]", b: "i32[4]"):
    allo.arith.ad(a, a, acc=b)
