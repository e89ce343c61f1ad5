from allo import *


@kernel
def f(a: "i32[4]", b: "i32[3]", c: "i32[4]"):
    c = a + b
