import scipy as sp
import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    return x + sp.pi
