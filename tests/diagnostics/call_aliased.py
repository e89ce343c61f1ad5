import allo
from allo import *

@kernel
def g(a: "i32[4]", b: "i32[4]"):
    a[0] = b[0]

@kernel
def f(x: "i32[4]"):
    g(x, x)
