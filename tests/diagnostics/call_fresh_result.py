from allo import *


@kernel
def g(a: "i32[4]"):
    a[0] = 1


@kernel
def f(x: "i32[4]"):
    g([1, 2, 3, 4])
