import allo
from allo import *

@kernel
def f(n: i32):
    a: "i32[n]"
