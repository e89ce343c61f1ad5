from allo import *


@kernel
def f(x: i32) -> i32:
    return x + 2j
# -->
# [E0402] complex_literal.py:6:16: error: complex numbers are not supported
# 6 |     return x + 2j
#   |                ^^
