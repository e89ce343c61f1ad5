import allo
from allo import *

@kernel
@kernel
def f(x: i32):
    pass
