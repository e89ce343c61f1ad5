import allo
from allo import *


@kernel
def f(x: "i32[4, 4]"):
    for i, j in allo.grid((0, 4, 1, 1), 4):
        x[i, j] = 0
