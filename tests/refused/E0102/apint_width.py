from allo import *


u0 = apint(0)


@kernel
def f(x: u0) -> i32:
    return x
# -->
# [E0102] apint_width.py:8:10: error: 'u0' has no value at compile time: the width of an apint must be an int from 1 to 4096
# 8 | def f(x: u0) -> i32:
#   |          ^^
# apint_width.py:4:1: note: 'u0' is bound here
# 4 | u0 = apint(0)
#   | ^^
