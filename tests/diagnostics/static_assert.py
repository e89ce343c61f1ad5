import allo
from allo import *

@kernel
def f(x: i32):
    static_assert(1 > 2, "one is not more than two")
