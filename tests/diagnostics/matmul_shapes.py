import allo
from allo import *


@kernel
def f(a: "i32[2, 3]", b: "i32[4, 2]", c: "i32[2, 2]"):
    allo.linalg.matmul(a, b, acc=c)
