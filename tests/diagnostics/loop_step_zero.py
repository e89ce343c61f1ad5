import allo
from allo import *

@kernel
def f(x: i32):
    for i in range(0, 4, 0):
        pass
