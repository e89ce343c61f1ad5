from allo import *


@kernel
def f(a: "i32[4]"):
    a[0:2] = 0
