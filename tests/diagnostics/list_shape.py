import allo
from allo import *

@kernel
def f(x: i32):
    y: "i32[2, 2]" = [[1, 2], [3]]
