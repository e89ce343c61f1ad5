import allo
from allo import *

@kernel
def f(x: "i32[2.0]"):
    pass
