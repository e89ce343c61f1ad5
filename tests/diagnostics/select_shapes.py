import allo
from allo import *


@kernel
def f(c: i32, a: "i32[3]", b: "i32[2]") -> "i32[3]":
    return a if c else b
