import allo
from allo import *

@kernel
def g(a: "i32[4]"):
    a[0] = 1

@kernel
def f(x: "i32[5]", y: i32):
    g(x)
    g(y)
