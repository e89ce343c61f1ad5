# top: -
import allo
from allo import *

@kernel
def f(x: i32):
    pass

@kernel
def g(x: i32):
    pass
# -->
# [E0004] error: there are several kernels: name one with --top
# note: the kernels of the file are: f, g
