import allo
from allo import *

@kernel
def f(x: i32):
    y: "i32[2]" = [x, 1]
