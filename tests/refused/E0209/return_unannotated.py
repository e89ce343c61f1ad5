import allo
from allo import *

@kernel
def f(x: i32):
    return x
# -->
# [E0209] return_unannotated.py:6:12: error: the kernel returns a value, but its header names no result type
# 6 |     return x
#   |            ^
# help: write `-> type` in the kernel's header
