from allo import *


@kernel
def f(x: i32) -> None:
    return x
# -->
# [E0209] return_from_none.py:6:12: error: the kernel returns a value, but its header names no result type
# 6 |     return x
#   |            ^
# help: write `-> type` in the kernel's header
