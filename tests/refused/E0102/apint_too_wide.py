from allo import *


wide = apint(4097)


@kernel
def f(x: wide) -> i32:
    return x
# -->
# [E0102] apint_too_wide.py:8:10: error: 'wide' has no value at compile time: the width of an apint must be an int from 1 to 4096
# 8 | def f(x: wide) -> i32:
#   |          ^^^^
# apint_too_wide.py:4:1: note: 'wide' is bound here
# 4 | wide = apint(4097)
#   | ^^^^
