import allo
from allo import *

@kernel
def f(x: "i32[4]"):
    for v in x:
        pass
