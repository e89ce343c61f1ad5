from allo import *


@kernel
def f(a: "i32[4, 4]", b: "i32[4]"):
    b = a[0]
