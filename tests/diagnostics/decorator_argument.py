import allo
from allo import *

@kernel(3)
def f(x: i32):
    pass
