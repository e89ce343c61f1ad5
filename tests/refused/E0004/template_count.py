# top: f[i32, 4]
import allo
from allo import *

T = Template("T")
@kernel(T)
def f(x: T):
    pass
# -->
# [E0004] error: kernel 'f' has 1 template, but 2 values are given
# note: the kernels of the file are: f[T]
