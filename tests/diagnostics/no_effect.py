import allo
from allo import *

@kernel
def f(x: i32):
    x + 1
