import allo
from allo import *

@kernel
def f(x: "f32[4]"):
    for i in range(4):
        x[i] = i + 1.0
