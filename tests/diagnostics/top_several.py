# top: -
import allo
from allo import *

@kernel
def f(x: i32):
    pass

@kernel
def g(x: i32):
    pass
