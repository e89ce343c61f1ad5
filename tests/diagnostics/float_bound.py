import allo
from allo import *

@kernel
def f(x: "i32[4]", y: f32):
    for i in range(y):
        x[i] = 0
