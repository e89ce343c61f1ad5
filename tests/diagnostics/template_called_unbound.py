import allo
from allo import *

T = Template("T")
@kernel(T)
def g(x: T):
    pass
@kernel
def f(x: i32):
    g(x)
