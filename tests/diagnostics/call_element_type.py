from allo import *


@kernel
def g(a: "i32[4]"):
    a[0] = 1


@kernel
def f(x: "u32[4]"):
    g(x)
