import allo
from allo import *


@kernel
def f(a: "i32[4]", b: "i32[4]", c: "i32[1]"):
    allo.linalg.matmul(a, b, acc=c)
