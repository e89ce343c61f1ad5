import allo
from allo import *

@kernel
def f(x: "i32[4]"):
    y: "i32[5]" = x
