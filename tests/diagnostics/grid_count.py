import allo
from allo import *

@kernel
def f(x: i32):
    for i, j, k in allo.grid(4, 4):
        pass
