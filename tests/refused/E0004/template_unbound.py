# top: f
import allo
from allo import *

T = Template("T")
@kernel(T)
def f(x: T):
    pass
# -->
# [E0004] error: kernel 'f' has unbound templates: T
# note: the kernels of the file are: f[T]
