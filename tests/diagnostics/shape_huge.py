import allo
from allo import *

@kernel
def f(x: "i32[65536, 65536]"):
    pass
