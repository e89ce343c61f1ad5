import allo
from allo import *

@kernel
def f(x: i32) -> u8:
    y: u8 = 300
    return y
