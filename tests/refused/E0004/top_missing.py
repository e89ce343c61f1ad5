# top: g
import allo
from allo import *

@kernel
def f(x: i32):
    pass
# -->
# [E0004] error: there is no kernel 'g'
# note: the kernels of the file are: f
