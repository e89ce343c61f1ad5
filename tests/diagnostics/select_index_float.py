import allo
from allo import *


@kernel
def f(c: i32, b: f32, o: "f32[3]"):
    for i in range(3):
        o[i] = i if c else b
