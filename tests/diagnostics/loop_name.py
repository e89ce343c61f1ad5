import allo
from allo import *


@kernel
def f(x: "i32[4]"):
    for i in allo.range(4, name=1):
        x[i] = 0
