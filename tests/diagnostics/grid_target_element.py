import allo
from allo import *


@kernel
def f(x: "i32[4, 4]"):
    for x[0, 0], j in allo.grid(4, 4):
        pass
